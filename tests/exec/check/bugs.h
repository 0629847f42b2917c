/* The planted bugs, by the check that finds them, with the parameters of their launches.
 *
 * X(name, kind, blocks, threads, elements of a and of b, bytes of shared memory, flags)
 */
#ifndef WIDELOAD_TESTS_CHECK_BUGS_H
#define WIDELOAD_TESTS_CHECK_BUGS_H

enum {
    BUG_UNWRITTEN = 1,  /* b was never written */
    BUG_TWIN_FINDS = 2, /* but its twin needs it written */
    BUG_FREED = 4,      /* b is freed before the bug's launch */
    BUG_ENDS = 8,       /* the bug ends the launch */
};

#define BUGS_MEMORY(X)                                                                                       \
    X(store_past_end, OUT_OF_BOUNDS, 2, 64, 100, 0, 0)                                                       \
    X(load_before_start, OUT_OF_BOUNDS, 2, 64, 128, 0, 0)                                                    \
    X(load_last_block, OUT_OF_BOUNDS, 4, 64, 256, 0, 0)                                                      \
    X(misaligned_store, MISALIGNED, 1, 32, 66, 0, 0)                                                         \
    X(null_store, OUT_OF_BOUNDS, 1, 32, 32, 0, 0)                                                            \
    X(use_after_free, USE_AFTER_FREE, 1, 32, 32, 0, BUG_FREED)                                               \
    X(vector_tail, OUT_OF_BOUNDS, 1, 64, 102, 0, 0)                                                          \
    X(atomic_past_end, OUT_OF_BOUNDS, 1, 64, 64, 0, 0)                                                       \
    X(shared_past_end, OUT_OF_BOUNDS, 1, 32, 32, 0, 0)                                                       \
    X(shared_dynamic_past_end, OUT_OF_BOUNDS, 1, 32, 32, 128, 0)                                             \
    X(shared_static_to_dynamic, OUT_OF_BOUNDS, 1, 32, 32, 128, 0)                                            \
    X(shared_misaligned, MISALIGNED, 1, 32, 32, 0, 0)                                                        \
    X(local_past_end, OUT_OF_BOUNDS, 1, 32, 32, 0, 0)                                                        \
    X(misaligned_vector, MISALIGNED, 1, 32, 132, 0, 0)                                                       \
    X(generic_past_end, OUT_OF_BOUNDS, 1, 64, 64, 0, 0)                                                      \
    X(generic_shared_past_end, OUT_OF_BOUNDS, 1, 32, 32, 0, 0)                                               \
    X(heap_past_end, OUT_OF_BOUNDS, 1, 8, 8, 0, 0)                                                           \
    X(heap_used_after_free, USE_AFTER_FREE, 1, 8, 8, 0, 0)                                                   \
    X(async_past_end, OUT_OF_BOUNDS, 1, 64, 64, 0, 0)                                                        \
    X(async_shared_past_end, OUT_OF_BOUNDS, 1, 64, 64, 0, 0)                                                 \
    X(bulk_past_end, OUT_OF_BOUNDS, 1, 64, 64, 0, BUG_ENDS)                                                  \
    X(across_past_end, OUT_OF_BOUNDS, 4, 64, 256, 0, 0)

#define BUGS_RACE(X)                                                                                         \
    X(missing_barrier, READ_AFTER_WRITE, 1, 128, 128, 0, 0)                                                  \
    X(missing_second_barrier, WRITE_AFTER_READ, 1, 64, 256, 0, 0)                                            \
    X(all_write_one, WRITE_AFTER_WRITE, 1, 32, 32, 0, 0)                                                     \
    X(warps_write_one, WRITE_AFTER_WRITE, 1, 64, 64, 0, 0)                                                   \
    X(missing_syncwarp, READ_AFTER_WRITE, 1, 32, 32, 0, 0)                                                   \
    X(broadcast_without_barrier, READ_AFTER_WRITE, 1, 32, 32, 0, 0)                                          \
    X(named_barrier_too_small, READ_AFTER_WRITE, 1, 128, 128, 0, 0)                                          \
    X(histogram_not_cleared_in_time, WRITE_AFTER_WRITE, 1, 128, 128, 0, 0)                                   \
    X(histogram_read_too_soon, WRITE_AFTER_READ, 1, 128, 128, 0, 0)                                          \
    X(bytes_of_a_word, READ_AFTER_WRITE, 1, 128, 128, 0, 0)                                                  \
    X(tile_without_second_barrier, WRITE_AFTER_READ, 1, 256, 1024, 0, 0)                                     \
    X(warp_reads_next_row, READ_AFTER_WRITE, 1, 128, 128, 0, 0)                                              \
    X(written_after_all_read, WRITE_AFTER_READ, 1, 128, 128, 0, 0)                                           \
    X(lane_overwrites_what_its_warp_reads, WRITE_AFTER_READ, 1, 32, 32, 0, 0)                                \
    X(third_warp_writes, WRITE_AFTER_READ, 1, 96, 96, 0, 0)                                                  \
    X(writer_waits_for_one_reader, WRITE_AFTER_READ, 1, 96, 96, 0, 0)                                        \
    X(byte_of_anothers_word, READ_AFTER_WRITE, 1, 64, 64, 0, 0)                                              \
    X(halves_overlap, WRITE_AFTER_WRITE, 1, 64, 64, 0, 0)                                                    \
    X(vector_over_words, READ_AFTER_WRITE, 1, 64, 64, 0, 0)                                                  \
    X(async_without_barrier, READ_AFTER_WRITE, 1, 64, 64, 0, 0)                                              \
    X(blocks_write_one, WRITE_AFTER_WRITE, 4, 32, 32, 0, 0)                                                  \
    X(in_place_across_blocks, WRITE_AFTER_READ, 4, 64, 256, 0, 0)                                            \
    X(global_without_barrier, READ_AFTER_WRITE, 1, 64, 64, 0, 0)                                             \
    X(last_block_without_fence, READ_AFTER_WRITE, 8, 64, 64, 0, 0)                                           \
    X(reads_what_another_block_writes, WRITE_AFTER_READ, 4, 64, 256, 0, 0)                                   \
    X(lanes_write_one_global, WRITE_AFTER_WRITE, 1, 32, 32, 0, 0)                                            \
    X(bytes_of_neighbouring_blocks, WRITE_AFTER_WRITE, 4, 32, 32, 0, 0)                                      \
    X(blocks_write_one_row, WRITE_AFTER_WRITE, 4, 64, 256, 0, 0)                                             \
    X(global_row_of_another_warp, READ_AFTER_WRITE, 1, 128, 128, 0, 0)                                       \
    X(global_without_syncwarp, READ_AFTER_WRITE, 1, 32, 32, 0, 0)                                            \
    X(word_of_anothers_row, READ_AFTER_WRITE, 4, 64, 256, 0, 0)                                              \
    X(vectors_over_rows, READ_AFTER_WRITE, 1, 128, 128, 0, 0)                                                \
    X(row_stored_over_vectors, WRITE_AFTER_READ, 1, 128, 128, 0, 0)                                          \
    X(across_without_barrier, READ_AFTER_WRITE, 4, 64, 256, 0, 0)                                            \
    X(overwritten_while_read_across, WRITE_AFTER_READ, 4, 64, 256, 0, 0)                                     \
    X(stores_across_collide, WRITE_AFTER_WRITE, 4, 64, 256, 0, 0)                                            \
    X(block_writes_where_other_stores, WRITE_AFTER_WRITE, 4, 64, 256, 0, 0)

#define BUGS_INIT(X)                                                                                         \
    X(unwritten_global, UNINITIALIZED, 1, 64, 64, 0, BUG_UNWRITTEN | BUG_TWIN_FINDS)                         \
    X(unwritten_last, UNINITIALIZED, 1, 64, 64, 0, BUG_UNWRITTEN)                                            \
    X(unwritten_counter, UNINITIALIZED, 1, 64, 64, 0, BUG_UNWRITTEN)                                         \
    X(unwritten_shared, UNINITIALIZED, 1, 64, 64, 0, 0)                                                      \
    X(unwritten_local, UNINITIALIZED, 1, 64, 64, 0, 0)                                                       \
    X(unwritten_half_of_a_word, UNINITIALIZED, 1, 64, 64, 0, BUG_UNWRITTEN)                                  \
    X(unwritten_part_of_a_vector, UNINITIALIZED, 1, 64, 64, 0, BUG_UNWRITTEN)                                \
    X(unwritten_member, UNINITIALIZED, 1, 64, 64, 0, BUG_UNWRITTEN)                                          \
    X(unwritten_condition, UNINITIALIZED, 1, 64, 64, 0, BUG_UNWRITTEN)                                       \
    X(unwritten_index, UNINITIALIZED, 1, 64, 64, 0, 0)                                                       \
    X(async_of_unwritten, UNINITIALIZED, 1, 64, 64, 0, BUG_UNWRITTEN)                                        \
    X(bulk_of_unwritten, UNINITIALIZED, 1, 64, 128, 0, BUG_UNWRITTEN)                                        \
    X(unwritten_across, UNINITIALIZED, 4, 64, 256, 0, 0)

/* These are real deadlocks: on a GPU they never end. */
#define BUGS_SYNC(X)                                                                                         \
    X(half_a_warp, DIVERGENT_BARRIER, 1, 64, 64, 0, 0)                                                       \
    X(barrier_on_both_sides, DIVERGENT_BARRIER, 1, 64, 64, 0, 0)                                             \
    X(trip_counts_differ, DIVERGENT_BARRIER, 1, 64, 64, 0, 0)                                                \
    X(mask_without_lane, INVALID_MASK, 1, 32, 32, 0, 0)                                                      \
    X(shuffle_without_lane, INVALID_MASK, 1, 32, 32, 0, 0)                                                   \
    X(shuffle_from_exited, UNDEFINED_SHUFFLE, 2, 32, 64, 0, 0)                                               \
    X(shuffle_from_absent, UNDEFINED_SHUFFLE, 1, 48, 48, 0, 0)                                               \
    X(syncwarp_in_a_branch, DIVERGENT_BARRIER, 1, 32, 32, 0, 0)                                              \
    X(other_block_not_begun, BLOCK_NOT_THERE, 4, 64, 256, 0, 0)                                              \
    X(other_block_has_ended, BLOCK_NOT_THERE, 4, 64, 256, 0, 0)                                              \
    X(barrier_nobody_joins, DEADLOCK, 1, 64, 64, 0, BUG_ENDS)                                                \
    X(barrier_counts_differ, DEADLOCK, 1, 64, 64, 0, BUG_ENDS)

#define BUGS(X) BUGS_MEMORY(X) BUGS_RACE(X) BUGS_INIT(X) BUGS_SYNC(X)

#endif
