/** Defines faults with a bad release: the image of one service is changed, and a rollback is the fix. */
import {
  type Defect,
  defineFault,
  type Fault,
  type Hack,
  type Impact,
  isSameImage,
  type SystemView,
} from '#spec'
import { restartTarget } from '../hacks/restart-hacks.ts'
import { patchTask, toPlaybook } from '../playbook.ts'
import { containerIn, mainContainer, splitImage } from './containers.ts'
import { editWorkload } from './edit-workload.ts'
import { isEditable, patchTarget, restoreTemplate } from './restore-workload.ts'

export interface ReleaseDeclaration
  extends Pick<
    Fault,
    | 'name'
    | 'about'
    | 'category'
    | 'layer'
    | 'type'
    | 'otherLayers'
    | 'otherTypes'
    | 'symptoms'
    | 'impactOnceReady'
  > {
  readonly defect: Defect['kind']
  /** The impact that a target must have on journeys. */
  readonly effect: keyof Impact
  /** A further condition for targets. */
  readonly fits?: (system: SystemView, service: string) => boolean
  readonly hacks?: readonly Hack[]
}

const imageOf = (system: SystemView, service: string, tag: string): string =>
  `${splitImage(mainContainer(system, service).image).repository}:${tag}`

const toImagePatch = (system: SystemView, service: string, image: string | undefined): object => ({
  template: { spec: { containers: [{ name: mainContainer(system, service).name, image }] } },
})

const badImage = (system: SystemView, service: string, defect: Defect['kind']): string =>
  imageOf(system, service, system.releasesOf(service).bad.get(defect)!)

/** Whether it is the deployed image, or that of another good release. */
export const isGoodImage = (system: SystemView, service: string, image: string): boolean =>
  isSameImage(image, mainContainer(system, service).image) ||
  system.releasesOf(service).good.some((tag) => isSameImage(imageOf(system, service, tag), image))

const rollForward = (defect: Defect['kind']): Hack => ({
  name: 'go-to-the-next-release',
  about: 'Rolls forward to a later release, which has another defect',
  async act(context) {
    const { system, target } = context
    const otherDefects = [...system.releasesOf(target.service).bad].filter(([kind]) => kind !== defect)
    const [, tag] = otherDefects[0]!
    await patchTarget(context, toImagePatch(system, target.service, imageOf(system, target.service, tag)))
  },
})

const pauseRollout: Hack = {
  name: 'pause-the-rollout',
  about: 'Pauses the Deployment, which keeps running the bad release',
  async act(context) {
    await patchTarget(context, { paused: true })
  },
}

export const defineReleaseFault = ({
  defect,
  effect,
  fits = () => true,
  hacks = [],
  ...rest
}: ReleaseDeclaration): Fault =>
  defineFault({
    ...rest,
    binding: 'cause',
    parameters: {},
    targets: (system) =>
      system.workloads
        .filter(
          (workload) =>
            isEditable(workload) &&
            system.releasesOf(workload.service).bad.has(defect) &&
            system.impactOf(workload.service)[effect].length > 0 &&
            fits(system, workload.service),
        )
        .map(({ service }) => ({ service })),
    async inject(context) {
      const { system, target } = context
      const image = badImage(system, target.service, defect)
      await editWorkload(context, target.service, toImagePatch(system, target.service, image))
      return { image }
    },
    recover: (context) => restoreTemplate(context, context.target.service),
    isGone({ system, target, now }) {
      const { name } = mainContainer(system, target.service)
      const image = containerIn(now, system.workloadOf(target.service), name)?.image
      return {
        holds: image !== undefined && isGoodImage(system, target.service, image),
        evidence: `${target.service} runs the image ${image ?? 'none'}`,
      }
    },
    scope: ({ target }) => ({ services: [target.service], anyGoodRelease: true }),
    fix: ({ system, target }) =>
      toPlaybook(`Roll ${target.service} back`, [
        patchTask(
          'Set the image of the previous release',
          system,
          system.workloadOf(target.service),
          toImagePatch(system, target.service, mainContainer(system, target.service).image),
        ),
      ]),
    hacks: [restartTarget, rollForward(defect), pauseRollout, ...hacks],
  })
