/** A release that was never published. */
import {
  addReplica,
  defineTemplateFault,
  isGoodImage,
  mainContainer,
  patchTarget,
  podSpecOf,
  splitImage,
} from '../../fault-parts/index.ts'
import type { FaultCase, Hack } from '../../spec/index.ts'

/** So many versions ahead of the one that runs; far enough that there is none. */
const unpublished = ({ system, target, params }: FaultCase): string => {
  const { repository, tag } = splitImage(mainContainer(system, target.service).image)
  const numbers = /^(.*?)(\d+)([^\d.]*)$/.exec(tag)
  if (numbers === null) return `${repository}:1.${params.ahead}.0`
  const [, head, last, tail] = numbers
  return `${repository}:${head}${Number(last) + Number(params.ahead)}${tail}`
}

const withImage = ({ system, target }: FaultCase, image: string): object => ({
  containers: [{ name: mainContainer(system, target.service).name, image }],
})

const neverPull: Hack = {
  name: 'never-pull',
  about: 'Forbids to pull the image, which is not there either',
  async act(context) {
    const { name } = mainContainer(context.system, context.target.service)
    const containers = [{ name, imagePullPolicy: 'Never' }]
    await patchTarget(context, { template: { spec: { containers } } })
  },
}

export const fault = defineTemplateFault({
  name: 'image-missing',
  about: 'A workload asks for an image whose tag does not exist',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['dependency-problem'],
  parameters: {
    ahead: {
      type: 'integer',
      about: 'How many versions the tag is ahead of the one that ran',
      least: 12,
      most: 40,
      default: 14,
    },
  },
  symptoms: ['pods wait for an image that cannot be pulled', 'the service has no endpoints'],
  edit: (about) => withImage(about, unpublished(about)),
  undo: (about) => withImage(about, mainContainer(about.system, about.target.service).image),
  fixName: 'Set the image that ran before',
  look: (workload, { system, target }) =>
    podSpecOf(workload).containers.find(({ name }) => name === mainContainer(system, target.service).name)
      ?.image,
  isRight: (image, { system, target }) => isGoodImage(system, target.service, String(image)),
  scope: ({ target }) => ({ services: [target.service], anyGoodRelease: true }),
  hacks: [addReplica, neverPull],
})
