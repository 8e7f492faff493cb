// SPDX-License-Identifier: GPL-2.0
/*
 * Exports a symbol and tells the loader that it is proprietary. Only the
 * declaration is: this text is under the GPL like its neighbours.
 */
#include <linux/module.h>
#include "oot.h"

int oot_p_fn(int number)
{
	return 2 * number;
}
EXPORT_SYMBOL(oot_p_fn);

MODULE_DESCRIPTION("Exporter with a proprietary license string");
MODULE_LICENSE("Proprietary");
