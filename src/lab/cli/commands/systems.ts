/** `remedium systems`: lists the microservice systems, or describes one. */
import { yamlLibrary } from '#kit'
import { RemediumError } from '#spec'
import { type CommandContext, defineCommand } from '../define-command.ts'
import { loadNamedSystem } from '../systems/load-named-system.ts'

const showAll = async (answer: CommandContext['answer']): Promise<void> => {
  const { listSystemNames, loadSystem } = await import('#world/systems')
  const all = await Promise.all(listSystemNames().map(loadSystem))
  const list = all.map(({ name, about, namespace, entryPoints }) => ({ name, about, namespace, entryPoints }))
  const width = Math.max(...list.map(({ name }) => name.length))
  answer({ systems: list }, list.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n'))
}

/** YAML 1.1, because kubectl parses unquoted `yes` and `no` as booleans. */
const toYaml = (manifests: readonly object[]): string =>
  manifests
    .map((object) => yamlLibrary().stringify(object, { aliasDuplicateObjects: false, version: '1.1' }))
    .join('---\n')

export const systems = defineCommand({
  summary: 'List the microservice systems, or describe one of them',
  positionals: '[NAME]',
  examples: [
    'remedium systems                                list the systems',
    'remedium systems train-ticket                   show services, entry points, journeys and load',
    'remedium systems train-ticket --manifests       print its Kubernetes objects as YAML for kubectl apply --namespace',
  ],
  options: {
    manifests: { type: 'boolean', about: 'print the Kubernetes objects of the system as YAML documents' },
  },
  async run({ positionals: [name, ...more], options, answer }) {
    if (more.length > 0) throw new RemediumError('bad-argument', 'Name one system.')
    if (name === undefined && options.manifests)
      throw new RemediumError('bad-argument', '--manifests requires the name of a system.')
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
