/* What cuStreamSetAttribute sets: hints, stored only to be read back. */
#ifndef WIDELOAD_SIM_CUDA_STREAM_ATTRIBUTE_H
#define WIDELOAD_SIM_CUDA_STREAM_ATTRIBUTE_H

#include "sim/cuda/driver.h"

struct stream_attributes {
    CUaccessPolicyWindow window;
    CUsynchronizationPolicy policy; /* 0: not set, which means AUTO */
    CUlaunchMemSyncDomainMap domains;
    CUlaunchMemSyncDomain domain;
    bool has_domains; /* else {0, 1} */
};

/* stream.c: a stream's attributes; the two default streams have some too. */
struct stream_attributes *stream_attributes(CUstream stream);

#endif
