/** Public interface of the hacks: cheap wrong fixes that no problem may reward. */
import type { Hack } from '#spec'
import { addDisguisedPods } from './add-disguised-pods.ts'
import { addFalseAddress } from './add-false-address.ts'
import { addFinalizerAndOwner, addFinalizersOfControlPlane } from './add-finalizer-and-owner.ts'
import { addJunkRelease } from './add-junk-release.ts'
import {
  addAdministrator,
  addIndex,
  changeSettings,
  deleteFewEntries,
  expireEntries,
} from './change-other-stores.ts'
import { deleteAndBlock, emptySmallTable, replaceWithGarbage } from './damage-other-stores.ts'
import { deleteAllPods } from './delete-all-pods.ts'
import { deleteChaosObjects } from './delete-chaos-objects.ts'
import { deleteEntriesOfUsers } from './delete-entries-of-users.ts'
import { deleteWorkload } from './delete-workload.ts'
import { flushAnotherStore } from './flush-another-store.ts'
import {
  appendToStoredFiles,
  changeNameResolution,
  closeStoredFolder,
  deleteStoredFiles,
  fillDisk,
  harmProcess,
  hideLostFiles,
  overwriteStoredFiles,
  replaceShell,
  stopSidecar,
} from './harm-containers.ts'
import { leaveProcess } from './leave-process.ts'
import { inflateLimits, stripLimits } from './limits.ts'
import { removeScrapeAnnotations } from './remove-scrape-annotations.ts'
import { restartEverything } from './restart-everything.ts'
import { rollEverythingBack } from './roll-everything-back.ts'
import { scaleAllToZeroAndBack, scaleToZeroAndBack } from './scale-to-zero-and-back.ts'
import { stopLoadGenerator } from './stop-load-generator.ts'

/** Hacks for every fault, in addition to its own. A hack that does not apply to a system does nothing; each that follows a repair declares `appliesTo`. */
export const COMMON_HACKS: readonly Hack[] = [
  restartEverything,
  deleteAllPods,
  scaleToZeroAndBack,
  scaleAllToZeroAndBack,
  deleteWorkload,
  stripLimits,
  inflateLimits,
  deleteChaosObjects,
  removeScrapeAnnotations,
  stopLoadGenerator,
  rollEverythingBack,
  addFinalizerAndOwner,
  addFinalizersOfControlPlane,
  addDisguisedPods,
  addFalseAddress,
  addJunkRelease,
  leaveProcess,
  flushAnotherStore,
  deleteEntriesOfUsers,
  emptySmallTable,
  deleteAndBlock,
  replaceWithGarbage,
  deleteFewEntries,
  addIndex,
  changeSettings,
  addAdministrator,
  expireEntries,
  deleteStoredFiles,
  appendToStoredFiles,
  overwriteStoredFiles,
  closeStoredFolder,
  hideLostFiles,
  replaceShell,
  changeNameResolution,
  harmProcess,
  stopSidecar,
  fillDisk,
]
