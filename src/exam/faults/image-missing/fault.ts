/** Fault: the tag of an image does not exist. */
import {
  addReplica,
  defineTemplateFault,
  isGoodImage,
  mainContainer,
  mainContainerIn,
  patchTarget,
  splitImage,
} from '#exam/fault-parts'
import type { FaultCase, Hack } from '#spec'

/** The image with the tag of a later version, which does not exist. */
const unpublishedImage = ({ system, target, params }: FaultCase): string => {
  const { repository, tag } = splitImage(mainContainer(system, target.service).image)
  const numbers = /^(.*?)(\d+)([^\d.]*)$/.exec(tag)
  if (numbers === null) return `${repository}:1.${params.ahead}.0`
  const [, head, last, tail] = numbers
  return `${repository}:${head}${Number(last) + Number(params.ahead)}${tail}`
}

const withImage = ({ system, target }: FaultCase, image: string | undefined): object => ({
  containers: [{ name: mainContainer(system, target.service).name, image }],
})

const neverPull: Hack = {
  name: 'never-pull',
  about: 'Forbids pulling the image, which is not on the node either',
  async act(context) {
    const { name } = mainContainer(context.system, context.target.service)
    const containers = [{ name, imagePullPolicy: 'Never' }]
    await patchTarget(context, { template: { spec: { containers } } })
  },
}

export const fault = defineTemplateFault({
  name: 'image-missing',
  about: 'A workload uses an image tag that does not exist',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['dependency-problem'],
  parameters: {
    ahead: {
      type: 'integer',
      about: 'The number of versions that the tag is ahead',
      min: 12,
      max: 40,
      default: 14,
    },
  },
  impactOnceReady: () => 'never-ready',
  symptoms: ['pods cannot pull their image', 'the service has no endpoints'],
  edit: (faultCase) => withImage(faultCase, unpublishedImage(faultCase)),
  undo: (faultCase) => withImage(faultCase, mainContainer(faultCase.system, faultCase.target.service).image),
  taskName: 'Restore the image',
  read: (workload, faultCase) => mainContainerIn(workload, faultCase)?.image,
  isAccepted: (image, { system, target }) => isGoodImage(system, target.service, String(image)),
  scope: ({ target }) => ({ services: [target.service], anyGoodRelease: true }),
  hacks: [addReplica, neverPull],
})
