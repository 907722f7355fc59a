/**
 * The admission plugins, which change or reject writes after authorisation. PodSecurity and NodeRestriction are not
 * needed: no namespace has PodSecurity labels, and the kubelets run in this process. RestrictedAccounts is not part of
 * Kubernetes.
 */
import type { Random } from '#kit'
import type { AdmissionPlugin } from '#platform/kube/ports'
import { defaultIngressClass } from './default-ingress-class.ts'
import { defaultStorageClass } from './default-storage-class.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds.ts'
import { limitRanger } from './limit-ranger.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts'
import { priority } from './priority.ts'
import { resourceQuota } from './resource-quota.ts'
import { isRestrictedAccount, restrictedAccounts } from './restricted-accounts.ts'
import { createServiceAccountAdmission } from './service-account.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './taint-nodes-by-condition.ts'

export { isRestrictedAccount }

/** The plugins in the order of a real server; quota is last, so that only accepted writes are charged. */
export const admissionPlugins = (random: Random): AdmissionPlugin[] => [
  namespaceLifecycle,
  restrictedAccounts,
  limitRanger,
  createServiceAccountAdmission(random),
  taintNodesByCondition,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  persistentVolumeClaimResize,
  defaultIngressClass,
  resourceQuota,
]
