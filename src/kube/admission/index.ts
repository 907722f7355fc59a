/**
 * What may change or refuse a write after RBAC has let it through. PodSecurity and NodeRestriction are left out:
 * nothing here labels namespaces for the one, and the kubelets live in the same process. RestrictedAccounts is our own.
 */
import type { Random } from '../../kit/index.ts'
import type { AdmissionPlugin } from '../ports/index.ts'
import { defaultIngressClass } from './default-ingress-class.ts'
import { defaultStorageClass } from './default-storage-class.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds.ts'
import { limitRanger } from './limit-ranger.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts'
import { priority } from './priority.ts'
import { resourceQuota } from './resource-quota.ts'
import { restrictedAccounts } from './restricted-accounts.ts'
import { createServiceAccountAdmission } from './service-account.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './taint-nodes-by-condition.ts'

/** The plugins in the order of a real server; quotas come last, so that only what passes is booked. */
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
