/** Tests that the references of faults in probes restore the timing of the probe, too. */
import { expect, it } from 'vitest'
import { loadFaults } from '#exam/faults'
import { playRepair } from '#exam/right-repairs/testing'
import { yamlLibrary } from '#kit'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { patchTarget } from './restore-workload.ts'

const faults = await loadFaults()

interface Play {
  readonly tasks: readonly {
    readonly 'kubernetes.core.k8s': { readonly definition: { readonly spec: object } }
  }[]
}

it.each([
  ['readiness-never', 'simple-micro'],
  ['readiness-never', 'online-boutique'],
  ['liveness-kills', 'online-boutique'],
])('the reference of %s on %s restores the probe', async (faultName, systemName) => {
  const fault = faults.get(faultName)!
  const system = createSystemView(await loadSystem(systemName))
  for (const target of fault.targets(system)) {
    const verdict = await playRepair(
      {
        async act(context) {
          const [play] = yamlLibrary().parse(fault.fix(context)) as [Play]
          for (const task of play.tasks)
            await patchTarget(context, task['kubernetes.core.k8s'].definition.spec)
        },
      },
      { fault, system, target },
    )
    expect(verdict.outcome, `${target.service}: ${verdict.reason}`).toBe('resolved')
  }
})
