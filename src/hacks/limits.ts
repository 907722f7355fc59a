/** The cheap answers of giving the service all that it could want: no limits, or huge ones. */
import { multiplyAmount, workloadRef } from '../fault-parts/index.ts'
import type { ContainerView, Hack, HackContext } from '../spec/index.ts'

const FACTOR = 10

const setLimits = async (
  { api, system, target }: HackContext,
  limitsOf: (container: ContainerView) => object | null,
): Promise<void> => {
  const limited = system
    .workloadOf(target.service)
    .podSpec.containers.filter(({ resources }) => Object.keys(resources?.limits ?? {}).length > 0)
  if (limited.length === 0) return
  const containers = limited.map((container) => ({
    name: container.name,
    resources: { limits: limitsOf(container) },
  }))
  await api.patch(workloadRef(system, target.service), 'strategic', {
    spec: { template: { spec: { containers } } },
  })
}

export const stripLimits: Hack = {
  name: 'strip-limits',
  about: 'Takes the limits of the service away',
  act: (context) => setLimits(context, () => null),
}

/** Ten times what the system is deployed with, whatever they are now. */
export const inflateLimits: Hack = {
  name: 'inflate-limits',
  about: 'Gives the service ten times its limits',
  act: (context) =>
    setLimits(context, ({ resources }) =>
      Object.fromEntries(
        Object.entries(resources?.limits ?? {}).map(([resource, amount]) => [
          resource,
          multiplyAmount(amount, FACTOR),
        ]),
      ),
    ),
}
