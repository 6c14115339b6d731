/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every name of OMPT in OpenMP 5.2 (19.3 to 19.6), with its number if it has one, and the numbers
 * that 6.0 added (33.31 to 33.41): other people's tools use them. It is a tool itself, which asks for all entry points of the host; C and C++.
 */
#include <omp-tools.h>
#include <stdlib.h>

#ifdef __cplusplus
#define IS(name, number) static_assert((int)name == (int)number, #name)
#else
#define IS(name, number) _Static_assert((int)name == (int)number, #name)
#endif
#define TYPE(name) extern name *a_##name

IS(ompd_generator_program, 0);
IS(ompd_generator_parallel, 1);
IS(ompd_generator_teams, 2);
IS(ompd_generator_target, 3);
IS(ompt_record_ompt, 1);
IS(ompt_record_native, 2);
IS(ompt_record_invalid, 3);
IS(ompt_record_native_info, 1);
IS(ompt_record_native_event, 2);
IS(ompt_set_error, 0);
IS(ompt_set_never, 1);
IS(ompt_set_impossible, 2);
IS(ompt_set_sometimes, 3);
IS(ompt_set_sometimes_paired, 4);
IS(ompt_set_always, 5);
IS(ompt_thread_initial, 1);
IS(ompt_thread_worker, 2);
IS(ompt_thread_other, 3);
IS(ompt_thread_unknown, 4);
IS(ompt_scope_begin, 1);
IS(ompt_scope_end, 2);
IS(ompt_scope_beginend, 3);
IS(ompt_dispatch_iteration, 1);
IS(ompt_dispatch_section, 2);
IS(ompt_dispatch_ws_loop_chunk, 3);
IS(ompt_dispatch_taskloop_chunk, 4);
IS(ompt_dispatch_distribute_chunk, 5);
IS(ompt_sync_region_barrier_explicit, 3);
IS(ompt_sync_region_barrier_implementation, 4);
IS(ompt_sync_region_taskwait, 5);
IS(ompt_sync_region_taskgroup, 6);
IS(ompt_sync_region_reduction, 7);
IS(ompt_sync_region_barrier_implicit_workshare, 8);
IS(ompt_sync_region_barrier_implicit_parallel, 9);
IS(ompt_sync_region_barrier_teams, 10);
IS(ompt_target_data_alloc, 1);
IS(ompt_target_data_transfer_to_device, 2);
IS(ompt_target_data_transfer_from_device, 3);
IS(ompt_target_data_delete, 4);
IS(ompt_target_data_associate, 5);
IS(ompt_target_data_disassociate, 6);
IS(ompt_target_data_alloc_async, 17);
IS(ompt_target_data_transfer_to_device_async, 18);
IS(ompt_target_data_transfer_from_device_async, 19);
IS(ompt_target_data_delete_async, 20);
IS(ompt_target_data_transfer, 7);
IS(ompt_target_data_memset, 8);
IS(ompt_target_data_transfer_rect, 9);
IS(ompt_target_data_transfer_async, 23);
IS(ompt_target_data_memset_async, 24);
IS(ompt_target_data_transfer_rect_async, 25);
IS(ompt_work_loop, 1);
IS(ompt_work_sections, 2);
IS(ompt_work_single_executor, 3);
IS(ompt_work_single_other, 4);
IS(ompt_work_workshare, 5);
IS(ompt_work_distribute, 6);
IS(ompt_work_taskloop, 7);
IS(ompt_work_scope, 8);
IS(ompt_work_workdistribute, 9);
IS(ompt_work_loop_static, 10);
IS(ompt_work_loop_dynamic, 11);
IS(ompt_work_loop_guided, 12);
IS(ompt_work_loop_other, 13);
IS(ompt_mutex_lock, 1);
IS(ompt_mutex_test_lock, 2);
IS(ompt_mutex_nest_lock, 3);
IS(ompt_mutex_test_nest_lock, 4);
IS(ompt_mutex_critical, 5);
IS(ompt_mutex_atomic, 6);
IS(ompt_mutex_ordered, 7);
IS(ompt_native_data_motion_explicit, 1);
IS(ompt_native_data_motion_implicit, 2);
IS(ompt_native_kernel_invocation, 4);
IS(ompt_native_kernel_execution, 8);
IS(ompt_native_driver, 16);
IS(ompt_native_runtime, 32);
IS(ompt_native_overhead, 64);
IS(ompt_native_idleness, 128);
IS(ompt_task_initial, 1);
IS(ompt_task_implicit, 2);
IS(ompt_task_explicit, 4);
IS(ompt_task_target, 8);
IS(ompt_task_taskwait, 16);
IS(ompt_task_importing, 0x02000000);
IS(ompt_task_exporting, 0x04000000);
IS(ompt_task_undeferred, 134217728);
IS(ompt_task_untied, 268435456);
IS(ompt_task_final, 536870912);
IS(ompt_task_mergeable, 1073741824);
IS(ompt_task_merged, 0x80000000);
IS(ompt_task_complete, 1);
IS(ompt_task_yield, 2);
IS(ompt_task_cancel, 3);
IS(ompt_task_detach, 4);
IS(ompt_task_early_fulfill, 5);
IS(ompt_task_late_fulfill, 6);
IS(ompt_task_switch, 7);
IS(ompt_taskwait_complete, 8);
IS(ompt_target, 1);
IS(ompt_target_enter_data, 2);
IS(ompt_target_exit_data, 3);
IS(ompt_target_update, 4);
IS(ompt_target_nowait, 9);
IS(ompt_target_enter_data_nowait, 10);
IS(ompt_target_exit_data_nowait, 11);
IS(ompt_target_update_nowait, 12);
IS(ompt_parallel_invoker_program, 1);
IS(ompt_parallel_invoker_runtime, 2);
IS(ompt_parallel_league, 1073741824);
IS(ompt_parallel_team, 0x80000000);
IS(ompt_target_map_flag_to, 1);
IS(ompt_target_map_flag_from, 2);
IS(ompt_target_map_flag_alloc, 4);
IS(ompt_target_map_flag_release, 8);
IS(ompt_target_map_flag_delete, 16);
IS(ompt_target_map_flag_implicit, 32);
IS(ompt_target_map_flag_always, 0x40);
IS(ompt_target_map_flag_present, 0x80);
IS(ompt_target_map_flag_close, 0x100);
IS(ompt_target_map_flag_shared, 0x200);
IS(ompt_dependence_type_in, 1);
IS(ompt_dependence_type_out, 2);
IS(ompt_dependence_type_inout, 3);
IS(ompt_dependence_type_mutexinoutset, 4);
IS(ompt_dependence_type_source, 5);
IS(ompt_dependence_type_sink, 6);
IS(ompt_dependence_type_inoutset, 7);
IS(ompt_dependence_type_out_all_memory, 34);
IS(ompt_dependence_type_inout_all_memory, 35);
IS(ompt_warning, 1);
IS(ompt_fatal, 2);
IS(ompt_cancel_parallel, 1);
IS(ompt_cancel_sections, 2);
IS(ompt_cancel_loop, 4);
IS(ompt_cancel_taskgroup, 8);
IS(ompt_cancel_activated, 16);
IS(ompt_cancel_detected, 32);
IS(ompt_cancel_discarded_task, 64);
IS(ompt_frame_runtime, 0);
IS(ompt_frame_application, 1);
IS(ompt_frame_cfa, 16);
IS(ompt_frame_framepointer, 32);
IS(ompt_frame_stackaddress, 48);
IS(ompt_callback_thread_begin, 1);
IS(ompt_callback_thread_end, 2);
IS(ompt_callback_parallel_begin, 3);
IS(ompt_callback_parallel_end, 4);
IS(ompt_callback_task_create, 5);
IS(ompt_callback_task_schedule, 6);
IS(ompt_callback_implicit_task, 7);
IS(ompt_callback_control_tool, 11);
IS(ompt_callback_sync_region_wait, 16);
IS(ompt_callback_mutex_released, 17);
IS(ompt_callback_dependences, 18);
IS(ompt_callback_task_dependence, 19);
IS(ompt_callback_work, 20);
IS(ompt_callback_masked, 21);
IS(ompt_callback_sync_region, 23);
IS(ompt_callback_lock_init, 24);
IS(ompt_callback_lock_destroy, 25);
IS(ompt_callback_mutex_acquire, 26);
IS(ompt_callback_mutex_acquired, 27);
IS(ompt_callback_nest_lock, 28);
IS(ompt_callback_flush, 29);
IS(ompt_callback_cancel, 30);
IS(ompt_callback_reduction, 31);
IS(ompt_callback_dispatch, 32);
IS(ompt_callback_error, 37);
IS(ompt_callback_device_initialize, 12);
IS(ompt_callback_device_finalize, 13);
IS(ompt_callback_device_load, 14);
IS(ompt_callback_device_unload, 15);
IS(ompt_callback_target, 8);
IS(ompt_callback_target_data_op, 9);
IS(ompt_callback_target_submit, 10);
IS(ompt_callback_target_map, 22);
IS(ompt_callback_target_emi, 33);
IS(ompt_callback_target_data_op_emi, 34);
IS(ompt_callback_target_submit_emi, 35);
IS(ompt_callback_target_map_emi, 36);
IS(ompt_state_undefined, 258);
IS(ompt_state_work_serial, 0);
IS(ompt_state_work_parallel, 1);
IS(ompt_state_work_reduction, 2);
IS(ompt_state_wait_barrier, 16);
IS(ompt_state_wait_barrier_implicit_parallel, 17);
IS(ompt_state_wait_barrier_implicit_workshare, 18);
IS(ompt_state_wait_barrier_implicit, 19);
IS(ompt_state_wait_barrier_explicit, 20);
IS(ompt_state_wait_barrier_implementation, 21);
IS(ompt_state_wait_barrier_teams, 22);
IS(ompt_state_wait_taskwait, 32);
IS(ompt_state_wait_taskgroup, 33);
IS(ompt_state_wait_mutex, 64);
IS(ompt_state_wait_lock, 65);
IS(ompt_state_wait_critical, 66);
IS(ompt_state_wait_atomic, 67);
IS(ompt_state_wait_ordered, 68);
IS(ompt_state_wait_target, 128);
IS(ompt_state_wait_target_map, 129);
IS(ompt_state_wait_target_update, 130);
IS(ompt_state_idle, 256);
IS(ompt_state_overhead, 257);
IS(ompt_callback_master, 21);
IS(ompt_sync_region_barrier, 1);
IS(ompt_sync_region_barrier_implicit, 2);
IS(ompt_id_none, 0);
IS(ompt_wait_id_none, 0);
IS(ompt_hwid_none, 0);
IS(ompt_time_none, 0);
IS(ompt_mutex_impl_none, 0);

TYPE(ompt_advance_buffer_cursor_t);
TYPE(ompt_buffer_cursor_t);
TYPE(ompt_buffer_t);
TYPE(ompt_callback_buffer_complete_t);
TYPE(ompt_callback_buffer_request_t);
TYPE(ompt_callback_cancel_t);
TYPE(ompt_callback_control_tool_t);
TYPE(ompt_callback_dependences_t);
TYPE(ompt_callback_device_finalize_t);
TYPE(ompt_callback_device_initialize_t);
TYPE(ompt_callback_device_load_t);
TYPE(ompt_callback_device_unload_t);
TYPE(ompt_callback_dispatch_t);
TYPE(ompt_callback_error_t);
TYPE(ompt_callback_flush_t);
TYPE(ompt_callback_implicit_task_t);
TYPE(ompt_callback_masked_t);
TYPE(ompt_callback_master_t);
TYPE(ompt_callback_mutex_acquire_t);
TYPE(ompt_callback_mutex_t);
TYPE(ompt_callback_nest_lock_t);
TYPE(ompt_callback_parallel_begin_t);
TYPE(ompt_callback_parallel_end_t);
TYPE(ompt_callback_sync_region_t);
TYPE(ompt_callback_t);
TYPE(ompt_callback_target_data_op_emi_t);
TYPE(ompt_callback_target_data_op_t);
TYPE(ompt_callback_target_emi_t);
TYPE(ompt_callback_target_map_emi_t);
TYPE(ompt_callback_target_map_t);
TYPE(ompt_callback_target_submit_emi_t);
TYPE(ompt_callback_target_submit_t);
TYPE(ompt_callback_target_t);
TYPE(ompt_callback_task_create_t);
TYPE(ompt_callback_task_dependence_t);
TYPE(ompt_callback_task_schedule_t);
TYPE(ompt_callback_thread_begin_t);
TYPE(ompt_callback_thread_end_t);
TYPE(ompt_callback_work_t);
TYPE(ompt_callbacks_t);
TYPE(ompt_cancel_flag_t);
TYPE(ompt_data_t);
TYPE(ompt_dependence_t);
TYPE(ompt_dependence_type_t);
TYPE(ompt_device_t);
TYPE(ompt_device_time_t);
TYPE(ompt_dispatch_chunk_t);
TYPE(ompt_dispatch_t);
TYPE(ompt_enumerate_mutex_impls_t);
TYPE(ompt_enumerate_states_t);
TYPE(ompt_finalize_t);
TYPE(ompt_finalize_tool_t);
TYPE(ompt_flush_trace_t);
TYPE(ompt_frame_flag_t);
TYPE(ompt_frame_t);
TYPE(ompt_function_lookup_t);
TYPE(ompt_get_callback_t);
TYPE(ompt_get_device_num_procs_t);
TYPE(ompt_get_device_time_t);
TYPE(ompt_get_num_devices_t);
TYPE(ompt_get_num_places_t);
TYPE(ompt_get_num_procs_t);
TYPE(ompt_get_parallel_info_t);
TYPE(ompt_get_partition_place_nums_t);
TYPE(ompt_get_place_num_t);
TYPE(ompt_get_place_proc_ids_t);
TYPE(ompt_get_proc_id_t);
TYPE(ompt_get_record_abstract_t);
TYPE(ompt_get_record_native_t);
TYPE(ompt_get_record_ompt_t);
TYPE(ompt_get_record_type_t);
TYPE(ompt_get_state_t);
TYPE(ompt_get_target_info_t);
TYPE(ompt_get_task_info_t);
TYPE(ompt_get_task_memory_t);
TYPE(ompt_get_thread_data_t);
TYPE(ompt_get_unique_id_t);
TYPE(ompt_hwid_t);
TYPE(ompt_id_t);
TYPE(ompt_initialize_t);
TYPE(ompt_interface_fn_t);
TYPE(ompt_mutex_t);
TYPE(ompt_native_mon_flag_t);
TYPE(ompt_parallel_flag_t);
TYPE(ompt_pause_trace_t);
TYPE(ompt_record_abstract_t);
TYPE(ompt_record_cancel_t);
TYPE(ompt_record_control_tool_t);
TYPE(ompt_record_dependences_t);
TYPE(ompt_record_dispatch_t);
TYPE(ompt_record_error_t);
TYPE(ompt_record_flush_t);
TYPE(ompt_record_implicit_task_t);
TYPE(ompt_record_masked_t);
TYPE(ompt_record_mutex_acquire_t);
TYPE(ompt_record_mutex_t);
TYPE(ompt_record_native_t);
TYPE(ompt_record_nest_lock_t);
TYPE(ompt_record_ompt_t);
TYPE(ompt_record_parallel_begin_t);
TYPE(ompt_record_parallel_end_t);
TYPE(ompt_record_sync_region_t);
TYPE(ompt_record_t);
TYPE(ompt_record_target_data_op_t);
TYPE(ompt_record_target_kernel_t);
TYPE(ompt_record_target_map_t);
TYPE(ompt_record_target_t);
TYPE(ompt_record_task_create_t);
TYPE(ompt_record_task_dependence_t);
TYPE(ompt_record_task_schedule_t);
TYPE(ompt_record_thread_begin_t);
TYPE(ompt_record_work_t);
TYPE(ompt_scope_endpoint_t);
TYPE(ompt_set_callback_t);
TYPE(ompt_set_result_t);
TYPE(ompt_set_trace_native_t);
TYPE(ompt_set_trace_ompt_t);
TYPE(ompt_severity_t);
TYPE(ompt_start_tool_result_t);
TYPE(ompt_start_trace_t);
TYPE(ompt_state_t);
TYPE(ompt_stop_trace_t);
TYPE(ompt_sync_region_t);
TYPE(ompt_target_data_op_t);
TYPE(ompt_target_map_flag_t);
TYPE(ompt_target_t);
TYPE(ompt_task_flag_t);
TYPE(ompt_task_status_t);
TYPE(ompt_thread_t);
TYPE(ompt_translate_time_t);
TYPE(ompt_wait_id_t);
TYPE(ompt_work_t);

/* The arguments for a chunk, and a record of each kind. */
uint64_t sum_of(const ompt_dispatch_chunk_t *chunk, const ompt_record_ompt_t *r,
		const ompt_record_abstract_t *native);
uint64_t sum_of(const ompt_dispatch_chunk_t *chunk, const ompt_record_ompt_t *r,
		const ompt_record_abstract_t *native)
{
	uint64_t sum = chunk->start + chunk->iterations + native->rclass + native->start_time +
		       native->end_time + native->hwid;

	sum += r->type + r->time + r->thread_id + r->target_id;
	sum += r->record.thread_begin.thread_type + r->record.parallel_begin.requested_parallelism +
	       r->record.parallel_end.parallel_id;
	sum += r->record.work.count + r->record.dispatch.instance.value +
	       r->record.task_create.new_task_id;
	sum += r->record.dependences.dep.variable.value + r->record.task_dependence.sink_task_id;
	sum += r->record.task_schedule.next_task_id + r->record.implicit_task.index +
	       r->record.masked.task_id;
	sum += r->record.sync_region.kind + r->record.mutex_acquire.hint + r->record.mutex.wait_id +
	       r->record.nest_lock.endpoint;
	sum += r->record.cancel.flags + r->record.target.device_num +
	       r->record.target_data_op.bytes + r->record.target_map.nitems;
	sum += r->record.target_kernel.granted_num_teams + r->record.control_tool.command +
	       r->record.error.length;
	return sum + (r->record.flush.codeptr_ra != NULL);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	static const char *const names[] = {
		"ompt_enumerate_states",  "ompt_enumerate_mutex_impls",
		"ompt_set_callback",	  "ompt_get_callback",
		"ompt_get_thread_data",	  "ompt_get_num_procs",
		"ompt_get_num_places",	  "ompt_get_place_proc_ids",
		"ompt_get_place_num",	  "ompt_get_partition_place_nums",
		"ompt_get_proc_id",	  "ompt_get_state",
		"ompt_get_parallel_info", "ompt_get_task_info",
		"ompt_get_task_memory",	  "ompt_get_target_info",
		"ompt_get_num_devices",	  "ompt_get_unique_id",
		"ompt_finalize_tool",
	};

	(void)device, (void)data;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!lookup(names[i]))
			abort();
	return 1;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = {initialize, NULL, ompt_data_none};

	return version && runtime ? &result : NULL;
}

int main(void)
{
#pragma omp parallel
	;
	return 0;
}
