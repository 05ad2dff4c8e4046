/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of libopencsd_c_api.so.1, as they are called.
 *
 * Clients use the header of their OpenCSD; this one is for our tests.  Enumerations are uint32_t
 * here, and handles are void pointers.
 */
#ifndef OPENCSD_API_H
#define OPENCSD_API_H

#include "abi.h"

#define OCSD_API __attribute__((visibility("default")))

OCSD_API uint32_t ocsd_get_version(void);
OCSD_API const char *ocsd_get_version_str(void);

OCSD_API void *ocsd_create_dcd_tree(uint32_t type, uint32_t flags);
OCSD_API void ocsd_destroy_dcd_tree(void *handle);
OCSD_API uint32_t ocsd_dt_process_data(void *handle, uint32_t op, uint32_t index, uint32_t n,
				       const uint8_t *p, uint32_t *taken);
OCSD_API int ocsd_dt_set_gen_elem_outfn(void *handle, abi_element_fn fn, const void *context);

OCSD_API int ocsd_dt_create_decoder(void *handle, const char *name, int flags, const void *config,
				    unsigned char *id);
OCSD_API int ocsd_dt_remove_decoder(void *handle, unsigned char id);
OCSD_API int ocsd_dt_attach_packet_callback(void *handle, unsigned char id, uint32_t what,
					    void *fn, const void *context);
OCSD_API int ocsd_dt_get_decode_stats(void *handle, unsigned char id, struct abi_stats **stats);
OCSD_API int ocsd_dt_reset_decode_stats(void *handle, unsigned char id);

OCSD_API int ocsd_dt_add_binfile_mem_acc(void *handle, uint64_t addr, uint32_t spaces,
					 const char *path);
OCSD_API int ocsd_dt_add_binfile_region_mem_acc(void *handle, const struct abi_region *region,
						int n, uint32_t spaces, const char *path);
OCSD_API int ocsd_dt_add_buffer_mem_acc(void *handle, uint64_t addr, uint32_t spaces,
					const uint8_t *p, uint32_t n);
OCSD_API int ocsd_dt_add_callback_mem_acc(void *handle, uint64_t first, uint64_t last,
					  uint32_t spaces, abi_memory_fn fn, const void *context);
OCSD_API int ocsd_dt_add_callback_trcid_mem_acc(void *handle, uint64_t first, uint64_t last,
						uint32_t spaces, abi_memory_id_fn fn,
						const void *context);
OCSD_API int ocsd_dt_remove_mem_acc(void *handle, uint64_t first, uint32_t spaces);
OCSD_API void ocsd_tl_log_mapped_mem_ranges(void *handle);

OCSD_API int ocsd_def_errlog_init(uint32_t severity, int output);
OCSD_API int ocsd_def_errlog_config_output(int flags, const char *path);
OCSD_API int ocsd_def_errlog_set_strprint_cb(void *handle, void *context, abi_print_fn fn);
OCSD_API void ocsd_def_errlog_msgout(const char *text);
OCSD_API void ocsd_err_str(int err, char *buf, int n);
OCSD_API int ocsd_get_last_err(uint32_t *index, uint8_t *id, char *message, int n);

OCSD_API int ocsd_pkt_str(uint32_t protocol, const void *packet, char *buf, int n);
OCSD_API int ocsd_gen_elem_str(const void *element, char *buf, int n);
OCSD_API void ocsd_gen_elem_init(void *element, uint32_t type);

OCSD_API int ocsd_dt_set_raw_frame_printer(void *handle, int flags);
OCSD_API int ocsd_dt_set_gen_elem_printer(void *handle);
OCSD_API int ocsd_dt_set_pkt_protocol_printer(void *handle, uint8_t id, int monitor);

OCSD_API int ocsd_register_custom_decoder(const char *name, void *factory);
OCSD_API int ocsd_deregister_decoders(void);
OCSD_API int ocsd_cust_protocol_to_str(uint32_t protocol, const void *packet, char *buf, int n);

#endif /* OPENCSD_API_H */
