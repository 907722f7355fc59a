/** Hacks: remove the limits of the target, or raise them excessively. */
import { multiplyAmount, workloadRef } from '#exam/fault-parts'
import type { ContainerView, Hack, RepairContext } from '#spec'

const LIMIT_FACTOR = 10

const setLimits = async (
  { api, system, target }: RepairContext,
  limitsOf: (container: ContainerView) => object | null,
): Promise<void> => {
  const limitedContainers = system
    .workloadOf(target.service)
    .podSpec.containers.filter(({ resources }) => Object.keys(resources?.limits ?? {}).length > 0)
  if (limitedContainers.length === 0) return
  const containers = limitedContainers.map((container) => ({
    name: container.name,
    resources: { limits: limitsOf(container) },
  }))
  await api.patch(workloadRef(system, target.service), 'strategic', {
    spec: { template: { spec: { containers } } },
  })
}

export const stripLimits: Hack = {
  name: 'strip-limits',
  about: 'Removes the limits of the service',
  act: (context) => setLimits(context, () => null),
}

/** Sets ten times the deployed limits, regardless of the current ones. */
export const inflateLimits: Hack = {
  name: 'inflate-limits',
  about: 'Raises the limits of the service to ten times their values',
  act: (context) =>
    setLimits(context, ({ resources }) =>
      Object.fromEntries(
        Object.entries(resources?.limits ?? {}).map(([resource, amount]) => [
          resource,
          multiplyAmount(amount, LIMIT_FACTOR),
        ]),
      ),
    ),
}
