/** What bad releases have in common: the image of one service is changed, and going back is the fix. */
import {
  type Defect,
  defineFault,
  type Fault,
  type Hack,
  type Impact,
  type SystemView,
} from '../spec/index.ts'
import { containerIn, mainContainer, splitImage } from './containers.ts'
import { editWorkload } from './edit-workload.ts'
import { patchTask, toPlaybook } from './playbook.ts'
import { restartTheTarget } from './restart-hacks.ts'
import { isEditable, patchTarget, restoreTemplate } from './restore-workload.ts'

export interface ReleaseDeclaration
  extends Pick<
    Fault,
    'name' | 'about' | 'category' | 'layer' | 'type' | 'otherLayers' | 'otherTypes' | 'symptoms'
  > {
  readonly defect: Defect['kind']
  /** Which of a system's journeys must suffer from such a release. */
  readonly effect: keyof Impact
  /** A further condition for targets. */
  readonly fits?: (system: SystemView, service: string) => boolean
  readonly hacks?: readonly Hack[]
}

const imageOf = (system: SystemView, service: string, tag: string): string =>
  `${splitImage(mainContainer(system, service).image).repository}:${tag}`

const setImage = (system: SystemView, service: string, image: string): object => ({
  template: { spec: { containers: [{ name: mainContainer(system, service).name, image }] } },
})

const badImage = (system: SystemView, service: string, defect: Defect['kind']): string =>
  imageOf(system, service, system.releasesOf(service).bad.get(defect)!)

/** The image that was deployed, or that of another good release. */
export const isGoodImage = (system: SystemView, service: string, image: string): boolean =>
  image === mainContainer(system, service).image ||
  system.releasesOf(service).good.some((tag) => imageOf(system, service, tag) === image)

/** The likeliest next step of somebody who does not know which release was good. */
const goOn = (defect: Defect['kind']): Hack => ({
  name: 'go-to-the-next-release',
  about: 'Rolls on to a later release, which has another defect',
  async act(context) {
    const { system, target } = context
    const others = [...system.releasesOf(target.service).bad].filter(([kind]) => kind !== defect)
    const [, tag] = others[0]!
    await patchTarget(context, setImage(system, target.service, imageOf(system, target.service, tag)))
  },
})

const pauseIt: Hack = {
  name: 'pause-the-rollout',
  about: 'Pauses the Deployment, which keeps the release that runs',
  async act(context) {
    await patchTarget(context, { paused: true })
  },
}

/** Declares the fault of a bad release by its defect. */
export const defineReleaseFault = ({
  defect,
  effect,
  fits = () => true,
  hacks = [],
  ...words
}: ReleaseDeclaration): Fault =>
  defineFault({
    ...words,
    binding: 'cause',
    parameters: {},
    targets: (system) =>
      system.workloads
        .filter(
          (one) =>
            isEditable(one) &&
            system.releasesOf(one.service).bad.has(defect) &&
            system.impactOf(one.service)[effect].length > 0 &&
            fits(system, one.service),
        )
        .map(({ service }) => ({ service })),
    async inject(context) {
      const { system, target } = context
      const image = badImage(system, target.service, defect)
      await editWorkload(context, target.service, setImage(system, target.service, image))
      return { image }
    },
    recover: (context) => restoreTemplate(context, context.target.service),
    isGone({ system, target, now }) {
      const { name } = mainContainer(system, target.service)
      const image = containerIn(now, system.workloadOf(target.service), name)?.image
      return {
        holds: image !== undefined && isGoodImage(system, target.service, image),
        evidence: `${target.service} runs ${image ?? 'nothing'}`,
      }
    },
    scope: ({ target }) => ({ services: [target.service], anyGoodRelease: true }),
    fix: ({ system, target }) =>
      toPlaybook(`Roll ${target.service} back`, [
        patchTask(
          'Set the image of the release before',
          system,
          system.workloadOf(target.service),
          setImage(system, target.service, mainContainer(system, target.service).image),
        ),
      ]),
    hacks: [restartTheTarget, goOn(defect), pauseIt, ...hacks],
  })
