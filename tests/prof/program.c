/* A program that uses the CUDA driver API, as the machine has it.  Each argument is one step:
 *   KERNEL       launch it on one block of 32 threads (strided:N: with that stride)
 *   capture      keep the launches that follow in a graph
 *   replay=N     run that graph N times
 *   fork         go on in a child, whose status becomes this program's
 *   print        a line to each of the standard streams
 *   echo         standard input to standard output
 *   flood        64 MiB to standard output
 *   exec         becomes itself with the steps that follow
 *   load=FILE    takes the kernels from there
 *   crash        follows a null pointer
 *   peer         from here on kernels write to memory of device 1
 *   switch       from here on kernels run on device 1
 *   leak         100 bytes of device memory that are never freed
 *   nofile       uses up its descriptors
 *   closeall     closes all but the standard streams
 *   nobody       becomes another user
 *   clearenv     empties its environment
 *   fsize=N      lets no file grow beyond N bytes
 *   chdir=PATH   unlink=PATH
 *   daemon       goes on in another session, while the one that was started ends
 *   spawn        has a child go on, too, and waits for it
 *   wait         2 seconds
 *   exit=N  _exit=N  kill=N  sleep  stop when SIGTERM comes: exit 7
 */
#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void *library;
static CUmodule module;
static CUdeviceptr memory;
static const char *ptx = TEST_PTX;
static CUstream stream; /* NULL until something is captured */

static void check(int result, const char *what) {
    if (result) {
        fprintf(stderr, "%s: %d\n", what, result);
        exit(99);
    }
}

static void *find(const char *name) {
    void *symbol = dlsym(library, name);
    check(symbol == NULL, name);
    return symbol;
}

#define CALL(name, type, ...) check((int)((CUresult(*) type)find(name))(__VA_ARGS__), name)

static void start(void) {
    CUcontext context;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    check(library == NULL, "libcuda.so.1");
    CALL("cuInit", (unsigned), 0);
    CALL("cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice), &context, 0);
    CALL("cuCtxSetCurrent", (CUcontext), context);
    CALL("cuModuleLoad", (CUmodule *, const char *), &module, ptx);
    CALL("cuMemAlloc_v2", (CUdeviceptr *, size_t), &memory, 1 << 20);
    CALL("cuMemsetD8_v2", (CUdeviceptr, unsigned char, size_t), memory, 1, 1 << 20);
}

static void launch(const char *name) {
    static const struct {
        const char *name, *symbol;
    } table[] = {{"strided", "_Z7stridedIfEvPT_PKS0_i"}, {"vectors", "_Z7vectorsP6float4PKS_"}};
    static char kernel[1 << 16];
    const char *colon = strchr(name, ':');
    snprintf(kernel, sizeof kernel, "%.*s", (int)(colon ? colon - name : (1 << 16) - 1), name);
    int stride = colon ? atoi(colon + 1) : 1;
    for (size_t i = 0; i < 2; i++)
        if (strcmp(kernel, table[i].name) == 0)
            strcpy(kernel, table[i].symbol);
    if (!library)
        start();
    CUfunction function;
    CUdeviceptr in = memory + (1 << 19);
    void *params[] = {&memory, &in, &stride};
    CALL("cuModuleGetFunction", (CUfunction *, CUmodule, const char *), &function, module, kernel);
    CALL("cuLaunchKernel",
         (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **,
          void **),
         function, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL);
}

static void capture(void) {
    if (!library)
        start();
    CALL("cuStreamCreate", (CUstream *, unsigned), &stream, CU_STREAM_NON_BLOCKING);
    CALL("cuStreamBeginCapture_v2", (CUstream, CUstreamCaptureMode), stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

static void replay(int times) {
    CUgraph graph;
    CUgraphExec exec;
    CALL("cuStreamEndCapture", (CUstream, CUgraph *), stream, &graph);
    CALL("cuGraphInstantiateWithFlags", (CUgraphExec *, CUgraph, unsigned long long), &exec, graph, 0);
    for (int i = 0; i < times; i++)
        CALL("cuGraphLaunch", (CUgraphExec, CUstream), exec, stream);
    CALL("cuGraphExecDestroy", (CUgraphExec), exec);
    CALL("cuGraphDestroy", (CUgraph), graph);
}

static void use_peer(void) {
    CUcontext own, peer;
    if (!library)
        start();
    CALL("cuCtxGetCurrent", (CUcontext *), &own);
    CALL("cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice), &peer, 1);
    CALL("cuCtxEnablePeerAccess", (CUcontext, unsigned), peer, 0);
    CALL("cuCtxSetCurrent", (CUcontext), peer);
    CALL("cuMemAlloc_v2", (CUdeviceptr *, size_t), &memory, 1 << 20);
    CALL("cuMemsetD8_v2", (CUdeviceptr, unsigned char, size_t), memory, 1, 1 << 20);
    CALL("cuCtxSetCurrent", (CUcontext), own);
}

static void use_other(void) {
    CUcontext other;
    if (!library)
        start();
    CALL("cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice), &other, 1);
    CALL("cuCtxSetCurrent", (CUcontext), other);
    CALL("cuModuleLoad", (CUmodule *, const char *), &module, ptx);
    CALL("cuMemAlloc_v2", (CUdeviceptr *, size_t), &memory, 1 << 20);
    CALL("cuMemsetD8_v2", (CUdeviceptr, unsigned char, size_t), memory, 1, 1 << 20);
}

static void flood(void) {
    static char block[1 << 16];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 1024; i++)
        fwrite(block, 1, sizeof block, stdout);
}

static void give_back(void) {
    if (memory)
        CALL("cuMemFree_v2", (CUdeviceptr), memory);
}

static void limit(int which, rlim_t most) {
    struct rlimit value = {most, most};
    check(setrlimit(which, &value), "setrlimit");
}

/* What a program may do to itself; false when the step is none of these. */
static bool hinder(const char *step) {
    if (strcmp(step, "nofile") == 0) {
        limit(RLIMIT_NOFILE, 64);
        while (open("/dev/null", O_RDONLY) >= 0)
            ;
    } else if (strcmp(step, "closeall") == 0) {
        for (int file = 3; file < 1024; file++)
            close(file);
    } else if (strcmp(step, "nobody") == 0) {
        check(setgid(65534) || setuid(65534), "setuid");
    } else if (strcmp(step, "clearenv") == 0) {
        clearenv();
    } else if (strncmp(step, "fsize=", 6) == 0) {
        limit(RLIMIT_FSIZE, (rlim_t)atol(step + 6));
    } else if (strncmp(step, "chdir=", 6) == 0) {
        check(chdir(step + 6), step);
    } else if (strncmp(step, "unlink=", 7) == 0) {
        check(unlink(step + 7), step);
    } else if (strcmp(step, "daemon") == 0) {
        if (fork())
            _exit(0);
        setsid();
    } else if (strcmp(step, "spawn") == 0) {
        if (fork())
            wait(NULL);
    } else if (strcmp(step, "wait") == 0) {
        sleep(2);
    } else {
        return false;
    }
    return true;
}

static void leave(int number) {
    (void)number;
    _exit(7);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *step = argv[i];
        if (hinder(step)) {
            continue;
        } else if (strcmp(step, "fork") == 0) {
            int status;
            pid_t child = fork();
            if (child && waitpid(child, &status, 0) == child)
                return WEXITSTATUS(status);
        } else if (strcmp(step, "print") == 0) {
            puts("to standard output");
            fputs("to standard error\n", stderr);
        } else if (strcmp(step, "echo") == 0) {
            for (int c; (c = getchar()) != EOF;)
                putchar(c);
        } else if (strcmp(step, "flood") == 0) {
            flood();
        } else if (strcmp(step, "exec") == 0) {
            fflush(stdout);
            execv("/proc/self/exe", argv + i);
        } else if (strncmp(step, "load=", 5) == 0) {
            ptx = step + 5;
        } else if (strcmp(step, "crash") == 0) {
            raise(SIGSEGV);
        } else if (strncmp(step, "_exit=", 6) == 0) {
            _exit(atoi(step + 6));
        } else if (strncmp(step, "kill=", 5) == 0) {
            raise(atoi(step + 5));
        } else if (strcmp(step, "sleep") == 0) {
            puts("asleep");
            fflush(stdout);
            sleep(60);
        } else if (strcmp(step, "term") == 0) {
            signal(SIGTERM, leave);
        } else if (strcmp(step, "capture") == 0) {
            capture();
        } else if (strncmp(step, "replay=", 7) == 0) {
            replay(atoi(step + 7));
        } else if (strcmp(step, "start") == 0) {
            start();
        } else if (strcmp(step, "peer") == 0) {
            use_peer();
        } else if (strcmp(step, "switch") == 0) {
            use_other();
        } else if (strcmp(step, "leak") == 0) {
            CUdeviceptr lost;
            CALL("cuMemAlloc_v2", (CUdeviceptr *, size_t), &lost, 100);
        } else if (strncmp(step, "exit=", 5) == 0) {
            give_back();
            return atoi(step + 5);
        } else {
            launch(step);
        }
    }
    give_back();
    return 0;
}
