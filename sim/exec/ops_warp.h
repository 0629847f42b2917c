/* Across the lanes of a warp.  Read by lanes_warp.c, where the functions are. */
/* clang-format off */
RUN("shfl.up.b32", shuffle, B32, PRED, B32, U32, U32, NONE, SHUFFLE_UP)
RUN("shfl.down.b32", shuffle, B32, PRED, B32, U32, U32, NONE, SHUFFLE_DOWN)
RUN("shfl.bfly.b32", shuffle, B32, PRED, B32, U32, U32, NONE, SHUFFLE_BUTTERFLY)
RUN("shfl.idx.b32", shuffle, B32, PRED, B32, U32, U32, NONE, SHUFFLE_INDEX)
SYNC("shfl.sync.up.b32", shuffle, B32, PRED, B32, U32, U32, U32, SHUFFLE_UP, 'f')
SYNC("shfl.sync.down.b32", shuffle, B32, PRED, B32, U32, U32, U32, SHUFFLE_DOWN, 'f')
SYNC("shfl.sync.bfly.b32", shuffle, B32, PRED, B32, U32, U32, U32, SHUFFLE_BUTTERFLY, 'f')
SYNC("shfl.sync.idx.b32", shuffle, B32, PRED, B32, U32, U32, U32, SHUFFLE_INDEX, 'f')

RUN("vote.all.pred", vote, PRED, NONE, PRED, NONE, NONE, NONE, VOTE_ALL)
RUN("vote.any.pred", vote, PRED, NONE, PRED, NONE, NONE, NONE, VOTE_ANY)
RUN("vote.uni.pred", vote, PRED, NONE, PRED, NONE, NONE, NONE, VOTE_UNIFORM)
RUN("vote.ballot.b32", vote, B32, NONE, PRED, NONE, NONE, NONE, VOTE_BALLOT)
/* ptxas takes these words in either order, and CUB writes vote.ballot.sync. */
SYNC("vote.{sync.all|all.sync}.pred", vote_sync, PRED, NONE, PRED, U32, NONE, NONE, VOTE_ALL, 'b')
SYNC("vote.{sync.any|any.sync}.pred", vote_sync, PRED, NONE, PRED, U32, NONE, NONE, VOTE_ANY, 'b')
SYNC("vote.{sync.uni|uni.sync}.pred", vote_sync, PRED, NONE, PRED, U32, NONE, NONE, VOTE_UNIFORM, 'b')
SYNC("vote.{sync.ballot|ballot.sync}.b32", vote_sync, B32, NONE, PRED, U32, NONE, NONE, VOTE_BALLOT, 'b')

SYNC("match.any.sync.b32", match_any_32, B32, NONE, B32, U32, NONE, NONE, 0, 'b')
SYNC("match.any.sync.b64", match_any_64, B32, NONE, B64, U32, NONE, NONE, 0, 'b')
SYNC("match.all.sync.b32", match_all_32, B32, PRED, B32, U32, NONE, NONE, 0, 'b')
SYNC("match.all.sync.b64", match_all_64, B32, PRED, B64, U32, NONE, NONE, 0, 'b')

SYNC("redux.sync.add.{u32|s32}", reduce, U32, NONE, U32, U32, NONE, NONE, REDUCE_ADD, 'b')
SYNC("redux.sync.min.u32", reduce, U32, NONE, U32, U32, NONE, NONE, REDUCE_MIN_U, 'b')
SYNC("redux.sync.max.u32", reduce, U32, NONE, U32, U32, NONE, NONE, REDUCE_MAX_U, 'b')
SYNC("redux.sync.min.s32", reduce, S32, NONE, S32, U32, NONE, NONE, REDUCE_MIN_S, 'b')
SYNC("redux.sync.max.s32", reduce, S32, NONE, S32, U32, NONE, NONE, REDUCE_MAX_S, 'b')
SYNC("redux.sync.and.b32", reduce, B32, NONE, B32, U32, NONE, NONE, REDUCE_AND, 'b')
SYNC("redux.sync.or.b32", reduce, B32, NONE, B32, U32, NONE, NONE, REDUCE_OR, 'b')
SYNC("redux.sync.xor.b32", reduce, B32, NONE, B32, U32, NONE, NONE, REDUCE_XOR, 'b')

RUN("activemask.b32", active_mask, B32, NONE, NONE, NONE, NONE, NONE, 0)
SYNC("elect.sync", elect, B32, PRED, U32, NONE, NONE, NONE, 0, 'a')
