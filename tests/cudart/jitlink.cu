/* Uses nvJitLink to link what NVRTC compiled at run time: PTX, link-time code, both, and so-called machine
 * code.  The library is opened as Python's packages do it, or linked. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <nvJitLink.h>
#include <nvrtc.h>
#include <string>
#include <vector>

static const char user[] =
    "extern \"C\" __device__ int twice(int);\n"
    "extern \"C\" __global__ void use(int *x) { x[threadIdx.x] = twice(x[threadIdx.x]) + 1; }";
static const char giver[] = "extern \"C\" __device__ int twice(int a) { return 2 * a; }";

static void check(const char *what, int error) {
    if (error) {
        printf("%s: %d\n", what, error);
        exit(1);
    }
}
#define CHECK(call) check(#call, call)

#ifdef OPENED
static void *find(const char *name) {
    static void *library = dlopen(OPENED, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        printf("%s\n", dlerror());
        exit(1);
    }
    return found;
}
#define NVJITLINK(name) ((decltype(&name))find(#name))
#else
#define NVJITLINK(name) name
#endif

enum form { PTX, LINK_TIME, CUBIN };

static std::vector<char> compile(const char *source, enum form form) {
    const char *options[] = {form == CUBIN ? "--gpu-architecture=sm_90" : "--gpu-architecture=compute_90",
                             "--relocatable-device-code=true", "-dlto"};
    nvrtcProgram program;
    size_t size;
    CHECK(nvrtcCreateProgram(&program, source, "source.cu", 0, NULL, NULL));
    CHECK(nvrtcCompileProgram(program, form == LINK_TIME ? 3 : 2, options));
    CHECK(form == PTX         ? nvrtcGetPTXSize(program, &size)
          : form == LINK_TIME ? nvrtcGetLTOIRSize(program, &size)
                              : nvrtcGetCUBINSize(program, &size));
    std::vector<char> code(size);
    CHECK(form == PTX         ? nvrtcGetPTX(program, code.data())
          : form == LINK_TIME ? nvrtcGetLTOIR(program, code.data())
                              : nvrtcGetCUBIN(program, code.data()));
    CHECK(nvrtcDestroyProgram(&program));
    return code;
}

struct input {
    nvJitLinkInputType type;
    std::vector<char> code;
};

/* The linked "cubin"; empty if linking fails, in which case the log says why. */
static std::vector<char> link(std::vector<const char *> options, const std::vector<input> &inputs,
                              std::string &log) {
    nvJitLinkHandle handle;
    std::vector<char> cubin;
    size_t size;
    options.insert(options.begin(), "-arch=sm_90");
    CHECK(NVJITLINK(nvJitLinkCreate)(&handle, (uint32_t)options.size(), options.data()));
    int error = 0;
    for (const input &input : inputs)
        if (!error)
            error = NVJITLINK(nvJitLinkAddData)(handle, input.type, input.code.data(), input.code.size(),
                                                "input");
    if (!error)
        error = NVJITLINK(nvJitLinkComplete)(handle);
    if (!error) {
        CHECK(NVJITLINK(nvJitLinkGetLinkedCubinSize)(handle, &size));
        cubin.resize(size);
        CHECK(NVJITLINK(nvJitLinkGetLinkedCubin)(handle, cubin.data()));
    }
    CHECK(NVJITLINK(nvJitLinkGetErrorLogSize)(handle, &size));
    log.resize(size + 1);
    CHECK(NVJITLINK(nvJitLinkGetErrorLog)(handle, &log[0]));
    CHECK(NVJITLINK(nvJitLinkDestroy)(&handle));
    return cubin;
}

static void run(const char *name, const std::vector<char> &cubin, const std::string &log) {
    if (cubin.empty()) {
        printf("%s: %s\n", name, strstr(log.c_str(), "twice") ? "twice is missing" : log.c_str());
        return;
    }
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    CHECK(cuModuleLoadData(&module, cubin.data()));
    CHECK(cuModuleGetFunction(&function, module, "use"));
    int values[4] = {1, 2, 3, 4};
    void *arguments[] = {&memory};
    CHECK(cuMemAlloc(&memory, sizeof values));
    CHECK(cuMemcpyHtoD(memory, values, sizeof values));
    CHECK(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH(values, memory, sizeof values));
    printf("%s: %d %d %d %d\n", name, values[0], values[1], values[2], values[3]);
    CHECK(cuMemFree(memory));
    CHECK(cuModuleUnload(module));
}

/* A program that requests PTX gets the library's, and no machine code. */
static void wants_ptx(const std::vector<input> &inputs) {
    nvJitLinkHandle handle;
    size_t size;
    const char *options[] = {"-arch=sm_90", "-lto", "-ptx"};
    CHECK(NVJITLINK(nvJitLinkCreate)(&handle, 3, options));
    for (const input &input : inputs)
        CHECK(NVJITLINK(nvJitLinkAddData)(handle, input.type, input.code.data(), input.code.size(), "input"));
    CHECK(NVJITLINK(nvJitLinkComplete)(handle));
    CHECK(NVJITLINK(nvJitLinkGetLinkedPtxSize)(handle, &size));
    std::vector<char> ptx(size + 1);
    CHECK(NVJITLINK(nvJitLinkGetLinkedPtx)(handle, ptx.data()));
    int machine = NVJITLINK(nvJitLinkGetLinkedCubinSize)(handle, &size);
    printf("ptx: %s, cubin: %s\n", strstr(ptx.data(), ".entry use") ? "there" : "missing",
           machine ? "refused" : "there");
    CHECK(NVJITLINK(nvJitLinkDestroy)(&handle));
}

static void refused(void) {
    nvJitLinkHandle handle;
    size_t size = 0;
    const char *options[] = {"-arch=sm_90", "-no-such-option"};
    int error = NVJITLINK(nvJitLinkCreate)(&handle, 2, options);
    CHECK(NVJITLINK(nvJitLinkGetErrorLogSize)(handle, &size));
    std::string log(size + 1, '\0');
    CHECK(NVJITLINK(nvJitLinkGetErrorLog)(handle, &log[0]));
    printf("option: %d, %s\n", error, strstr(log.c_str(), "-no-such-option") ? "named" : "not named");
    CHECK(NVJITLINK(nvJitLinkDestroy)(&handle));
}

int main() {
    std::vector<char> user_code[3], giver_code[3];
    for (int form = PTX; form <= CUBIN; form++) {
        user_code[form] = compile(user, (enum form)form);
        giver_code[form] = compile(giver, (enum form)form);
    }
    input ptx = {NVJITLINK_INPUT_PTX, giver_code[PTX]},
          link_time = {NVJITLINK_INPUT_LTOIR, giver_code[LINK_TIME]};
    input cubin = {NVJITLINK_INPUT_CUBIN, giver_code[CUBIN]},
          any = {NVJITLINK_INPUT_ANY, giver_code[LINK_TIME]};
    input use_ptx = {NVJITLINK_INPUT_ANY, user_code[PTX]},
          use_link_time = {NVJITLINK_INPUT_LTOIR, user_code[LINK_TIME]};
    /* Linking needs no device. */
    struct {
        const char *name;
        std::vector<char> cubin;
        std::string log;
    } results[8];
    int count = 0;
    auto add = [&](const char *name, std::vector<const char *> options, const std::vector<input> &inputs) {
        results[count].name = name;
        results[count].cubin = link(options, inputs, results[count].log);
        count++;
    };
    add("ptx and ptx", {}, {use_ptx, ptx});
    add("ptx and cubin", {}, {use_ptx, cubin});
    add("link-time code", {"-lto"}, {use_link_time, link_time});
    add("link-time code of any kind", {"-lto", "-lineinfo"}, {any, use_link_time});
    add("link-time code and ptx", {"-lto"}, {use_link_time, ptx});
    add("ptx and link-time code", {"-lto"}, {use_ptx, link_time});
    add("ptx with -lto", {"-lto"}, {use_ptx, ptx});
    add("alone", {}, {use_ptx});
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(cuCtxSetCurrent(context));
    for (int i = 0; i < count; i++)
        run(results[i].name, results[i].cubin, results[i].log);
    wants_ptx({use_link_time, link_time});
    refused();
    return 0;
}
