/** A release whose program never stops computing. */

import {
  containerIn,
  editWorkload,
  mainContainer,
  patchTask,
  splitImage,
  toPlaybook,
} from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

export const fault = defineFault({
  name: 'release-hot-loop',
  about: 'A new release computes without end and starves its own requests',
  category: 'cpu-stress',
  layer: 'application',
  type: 'code-defect',
  binding: 'cause',
  parameters: {},
  symptoms: ['CPU at the limit since the release', 'what the service answers comes late'],
  targets: (system) =>
    system.workloads
      .filter(
        ({ service }) =>
          system.releasesOf(service).bad.has('hot-loop') && system.impactOf(service).slow.length > 0,
      )
      .map(({ service }) => ({ service })),
  async inject(context) {
    const { system, target } = context
    const { name, image } = mainContainer(system, target.service)
    const bad = `${splitImage(image).repository}:${system.releasesOf(target.service).bad.get('hot-loop')}`
    await editWorkload(context, target.service, {
      template: { spec: { containers: [{ name, image: bad }] } },
    })
    return { image: bad }
  },
  async recover(context) {
    const { system, target } = context
    const { name, image } = mainContainer(system, target.service)
    await editWorkload(context, target.service, { template: { spec: { containers: [{ name, image }] } } })
  },
  isGone({ system, target, now, state }) {
    const { name } = mainContainer(system, target.service)
    const image = containerIn(now, system.workloadOf(target.service), name)?.image
    return {
      holds: image !== undefined && image !== state.image,
      evidence: `${target.service} runs ${image}`,
    }
  },
  scope: ({ target }) => ({ services: [target.service], anyGoodRelease: true }),
  fix({ system, target }) {
    const { name, image } = mainContainer(system, target.service)
    return toPlaybook('Go back to the release before', [
      patchTask('Set the image', system, system.workloadOf(target.service), {
        template: { spec: { containers: [{ name, image }] } },
      }),
    ])
  },
  hacks: [],
})
