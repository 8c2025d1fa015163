// include/orrery/orrery.h: the whole public interface.
#pragma once
#include "orrery/analyse.h"
#include "orrery/base.h"
#include "orrery/devs.h"
#include "orrery/distribution.h"
#include "orrery/ensemble.h"
#include "orrery/experiment.h"
#include "orrery/figure.h"
#include "orrery/island.h"
#include "orrery/machine.h"
#include "orrery/machine_ask.h"
#include "orrery/model.h"
#include "orrery/random.h"
#include "orrery/replicate.h"
#include "orrery/run.h"
#include "orrery/statistics.h"

#define ORR_VERSION "0.1.0"
