/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The forms of an environment variable that set values of devices (5.2, 21): NAME_ALL for the host and all devices,
 * NAME_DEV for all devices, NAME_DEV_N for device N. The runtime has no device, so it checks and displays the values.
 */
#ifndef OMPDD_RUNTIME_CORE_ICV_ENV_DEVICES_H
#define OMPDD_RUNTIME_CORE_ICV_ENV_DEVICES_H

#include <stdbool.h>

/* Reads these forms of all variables. An invalid value, device number or form causes one warning. */
void env_devices_read(void);
/* Returns false if env_devices_read() has reported an invalid NAME_ALL of the variable @name. */
bool env_devices_all_is_valid(const char *name);
/* Prints the valid values of the variable @name on stderr, one per line. */
void env_devices_display(const char *name);

#endif
