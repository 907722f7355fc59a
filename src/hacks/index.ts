/** Cheap wrong answers that no problem may reward. */
import type { Hack } from '../spec/index.ts'
import { deleteAllPods } from './delete-all-pods.ts'
import { deleteChaosObjects } from './delete-chaos-objects.ts'
import { deleteTheWorkload } from './delete-the-workload.ts'
import { killTheLoadGenerator } from './kill-the-load-generator.ts'
import { inflateLimits, stripLimits } from './limits.ts'
import { restartEverything } from './restart-everything.ts'
import { rollEverythingBack } from './roll-everything-back.ts'
import { scaleAllToZeroAndBack, scaleToZeroAndBack } from './scale-to-zero-and-back.ts'
import { silenceAlerts } from './silence-alerts.ts'

/** For every fault, beside its own. One that can do nothing to a system does nothing. */
export const COMMON_HACKS: readonly Hack[] = [
  restartEverything,
  deleteAllPods,
  scaleToZeroAndBack,
  scaleAllToZeroAndBack,
  deleteTheWorkload,
  stripLimits,
  inflateLimits,
  deleteChaosObjects,
  silenceAlerts,
  killTheLoadGenerator,
  rollEverythingBack,
]
