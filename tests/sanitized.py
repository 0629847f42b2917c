"""Shared by the tests of CUDA programs."""
import os

def sanitized(environment):
    """The environment for a program compiled by nvcc if the library under it is an AddressSanitizer build."""
    environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0:handle_segv=0"
    if os.environ.get("WIDELOAD_ASAN"):
        environment["LD_PRELOAD"] = os.environ["WIDELOAD_ASAN"]
    return environment
