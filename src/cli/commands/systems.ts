/** `remedium systems`: the microservice systems there are, and what one of them is made of. */
import { yamlLibrary } from '../../kit/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { type CommandContext, defineCommand } from '../define-command.ts'
import { loadNamedSystem } from '../systems/load-named-system.ts'

const showAll = async (answer: CommandContext['answer']): Promise<void> => {
  const { listSystemNames, loadSystem } = await import('../../systems/index.ts')
  const all = await Promise.all(listSystemNames().map(loadSystem))
  const list = all.map(({ name, about, namespace, entryPoints }) => ({ name, about, namespace, entryPoints }))
  const width = Math.max(...list.map(({ name }) => name.length))
  answer({ systems: list }, list.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n'))
}

/** In words that kubectl reads as we do: it still takes the yes and no of YAML 1.1 for true and false. */
const toYaml = (manifests: readonly object[]): string =>
  manifests
    .map((object) => yamlLibrary().stringify(object, { aliasDuplicateObjects: false, version: '1.1' }))
    .join('---\n')

export const systems = defineCommand({
  summary: 'List the microservice systems that a cluster can run, or show what one of them is made of',
  positionals: '[NAME]',
  examples: [
    'remedium systems                                those there are',
    'remedium systems train-ticket                   its services, entry points, journeys and load',
    'remedium systems train-ticket --manifests       its Kubernetes objects, as YAML for kubectl apply --namespace',
  ],
  options: {
    manifests: { type: 'boolean', about: "the system's Kubernetes objects, as YAML of many documents" },
  },
  async run({ positionals: [name, ...more], options, answer }) {
    if (more.length > 0) throw new RemediumError('bad-argument', 'Name one system.')
    if (name === undefined && options.manifests)
      throw new RemediumError('bad-argument', '--manifests needs the name of a system.')
    if (name === undefined) {
      await showAll(answer)
      return 0
    }
    const system = await loadNamedSystem(name)
    if (options.manifests) {
      answer({ manifests: system.manifests }, toYaml(system.manifests))
      return 0
    }
    const { describeSystem } = await import('../systems/describe-system.ts')
    const { systemText } = await import('../systems/system-text.ts')
    const description = describeSystem(system)
    answer(description, systemText(description))
    return 0
  },
})
