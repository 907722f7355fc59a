/** The list of all served chaos kinds. */
import type { ChaosKind } from './chaos-kind.ts'
import { dnsChaos } from './kinds/dns-chaos.ts'
import { ioChaos } from './kinds/io-chaos.ts'
import { networkChaos } from './kinds/network-chaos.ts'
import { podChaos } from './kinds/pod-chaos.ts'
import { stressChaos } from './kinds/stress-chaos.ts'
import { timeChaos } from './kinds/time-chaos.ts'

export const chaosKinds: readonly ChaosKind[] = [
  dnsChaos,
  ioChaos,
  networkChaos,
  podChaos,
  stressChaos,
  timeChaos,
]
