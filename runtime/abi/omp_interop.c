/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Interoperability (OpenMP 5.2, 14.1 and 18.12). The host has no foreign runtime, so every object is omp_interop_none.
 * The numbers are those of gcc 15's <omp.h>.
 */
#include "abi/omp_abi.h"

#include <string.h>

#include "abi/omp_newer.h"
#include "core/task/task_construct.h"
#include "core/team/target.h"

enum { PROPERTY_FIRST = -9 };
enum { RC_NO_VALUE = 1, RC_SUCCESS = 0, RC_EMPTY = -1, RC_OUT_OF_RANGE = -2 };

static const char *const properties[] = {"fr_id",    "fr_name", "vendor",	  "vendor_name", "device_num",
					 "platform", "device",	"device_context", "targetsync"};

static bool is_property(int property)
{
	return property < 0 && property >= PROPERTY_FIRST;
}

/* Sets *@rc_ret to the reason why @property has no value. */
static void report_no_value(int property, interop_rc *rc_ret)
{
	abi_is_used();
	if (rc_ret)
		*rc_ret = (interop_rc)(is_property(property) ? RC_EMPTY : RC_OUT_OF_RANGE);
}

static void set_fortran_text(const char *text, const char **text_ret, size_t *len_ret)
{
	*text_ret = text;
	*len_ret = text ? strlen(text) : 0;
}

/* init and destroy set objects to omp_interop_none. Only the order among tasks matters. */
ABI void GOMP_interop(int device, int n_init, uintptr_t **init, const int *types, const char **preferred, int n_use,
		      uintptr_t **use, int n_destroy, uintptr_t **destroy, unsigned flags, void **depend)
{
	struct thread *t = thread_self();

	(void)types;
	(void)preferred;
	(void)n_use;
	(void)use;
	(void)flags;
	target_check_device(t, device);
	if (depend && !task_children_done(t->task))
		task_wait_depend(t, depend, SITE_HERE());
	for (int i = 0; i < n_init; i++)
		*init[i] = 0;
	for (int i = 0; i < n_destroy; i++)
		*destroy[i] = 0;
}

ABI int omp_get_num_interop_properties(interop_object object)
{
	(void)object;
	abi_is_used();
	return 0;
}

ABI intptr_t omp_get_interop_int(interop_object object, interop_property property, interop_rc *rc_ret)
{
	(void)object;
	report_no_value(property, rc_ret);
	return 0;
}

ABI void *omp_get_interop_ptr(interop_object object, interop_property property, interop_rc *rc_ret)
{
	(void)object;
	report_no_value(property, rc_ret);
	return NULL;
}

ABI const char *omp_get_interop_str(interop_object object, interop_property property, interop_rc *rc_ret)
{
	(void)object;
	report_no_value(property, rc_ret);
	return NULL;
}

ABI void omp_get_interop_str_(const char **text_ret, size_t *len_ret, interop_object object, interop_property property,
			      interop_rc *rc_ret)
{
	set_fortran_text(omp_get_interop_str(object, property, rc_ret), text_ret, len_ret);
}

ABI const char *omp_get_interop_name(interop_object object, interop_property property)
{
	(void)object;
	abi_is_used();
	return is_property(property) ? properties[-1 - property] : NULL;
}

ABI void omp_get_interop_name_(const char **text_ret, size_t *len_ret, interop_object object, interop_property property)
{
	set_fortran_text(omp_get_interop_name(object, property), text_ret, len_ret);
}

/* Without a foreign runtime, a property has no type. */
ABI const char *omp_get_interop_type_desc(interop_object object, interop_property property)
{
	(void)object;
	(void)property;
	abi_is_used();
	return NULL;
}

ABI void omp_get_interop_type_desc_(const char **text_ret, size_t *len_ret, interop_object object,
				    interop_property property)
{
	set_fortran_text(omp_get_interop_type_desc(object, property), text_ret, len_ret);
}

ABI const char *omp_get_interop_rc_desc(interop_object object, interop_rc rc)
{
	static const char *const wrong_type[] = {"the property is an integer: use omp_get_interop_int",
						 "the property is a pointer: use omp_get_interop_ptr",
						 "the property is a string: use omp_get_interop_str"};

	(void)object;
	abi_is_used();
	/* Programs compare the words of RC_EMPTY and RC_OUT_OF_RANGE: they are those of gcc's libgomp. */
	switch (rc) {
	case RC_NO_VALUE:
		return "the property has no value here";
	case RC_SUCCESS:
		return "success";
	case RC_EMPTY:
		return "provided interoperability object is equal to omp_interop_none";
	case RC_OUT_OF_RANGE:
		return "property ID is out of range";
	case -3:
	case -4:
	case -5:
		return wrong_type[-3 - rc];
	default:
		return NULL;
	}
}

ABI void omp_get_interop_rc_desc_(const char **text_ret, size_t *len_ret, interop_object object, interop_rc rc)
{
	set_fortran_text(omp_get_interop_rc_desc(object, rc), text_ret, len_ret);
}
