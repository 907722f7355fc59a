/** Public interface of the right repairs: correct repairs in several styles; all of them must pass. */
import { ADDRESSES } from './addresses.ts'
import { CAPACITY } from './capacity.ts'
import { COMMANDS } from './commands.ts'
import { DEBUGGING } from './debugging.ts'
import { GITOPS } from './gitops.ts'
import { HELM } from './helm.ts'
import { IMPERATIVE } from './imperative.ts'
import { KUSTOMIZE } from './kustomize.ts'
import { NAMESPACE_RULES } from './namespace-rules.ts'
import { POLICIES } from './policies.ts'
import { PROBES } from './probes.ts'
import { RECREATION } from './recreation.ts'
import type { RightRepair } from './right-repair.ts'
import { STORES } from './stores.ts'

export type { RightRepair } from './right-repair.ts'

export const RIGHT_REPAIRS: readonly RightRepair[] = [
  ...IMPERATIVE,
  ...DEBUGGING,
  ...KUSTOMIZE,
  ...HELM,
  ...GITOPS,
  ...RECREATION,
  ...POLICIES,
  ...NAMESPACE_RULES,
  ...PROBES,
  ...CAPACITY,
  ...COMMANDS,
  ...ADDRESSES,
  ...STORES,
]
