/* Operations that the library may lack yet; the tests leave those out. */
#pragma weak wl_copy_2d
#pragma weak wl_add
#pragma weak wl_transpose
#pragma weak wl_transpose_batched
#pragma weak wl_transpose_inplace
#pragma weak wl_transpose_inplace_workspace
#pragma weak wl_deinterleave
#pragma weak wl_interleave
#pragma weak wl_deinterleave_fields
#pragma weak wl_interleave_fields
#pragma weak wl_permute
