/** `remedium faults`: lists the faults, or describes one. */
import { type Fault, RemediumError, type SystemView } from '#spec'
import { defineCommand } from '../define-command.ts'

const loadViews = async (names: readonly string[]): Promise<SystemView[]> => {
  const { loadNamedSystem } = await import('../systems/load-named-system.ts')
  const { createSystemView } = await import('#world/system-view')
  return Promise.all(names.map(async (name) => createSystemView(await loadNamedSystem(name))))
}

const listSystems = async (): Promise<string[]> => {
  const { listSystemNames } = await import('#world/systems')
  return listSystemNames()
}

const loadChosenFaults = async (name: string | undefined): Promise<Fault[]> => {
  const { loadNamedFault } = await import('../faults/load-named-fault.ts')
  if (name !== undefined) return [await loadNamedFault(name)]
  const { loadFaults } = await import('#exam/faults')
  return [...(await loadFaults()).values()]
}

export const faults = defineCommand({
  summary: 'List the faults that can be injected, or describe one of them',
  positionals: '[NAME]',
  examples: [
    'remedium faults                            list all faults',
    'remedium faults --system train-ticket      list all faults with their targets on a system',
    'remedium faults cpu-stress                 show parameters, symptoms, hacks, and targets on every system',
    'remedium faults --markdown                 print docs/faults.md',
  ],
  options: {
    system: { type: 'string', value: 'SYSTEM', about: 'show the targets on this system', multiple: true },
    markdown: { type: 'boolean', about: 'print docs/faults.md' },
  },
  async run({ positionals: [name, ...more], options, answer }) {
    if (more.length > 0) throw new RemediumError('bad-argument', 'Name one fault.')
    const { describeFault, faultTable, faultText } = await import('../faults/describe-fault.ts')
    const usesAllSystems = options.system.length === 0 && name !== undefined
    const systems = await loadViews(usesAllSystems ? await listSystems() : options.system)
    const list = (await loadChosenFaults(name)).map((fault) => describeFault(fault, systems))
    if (options.markdown) {
      const { faultsDocument } = await import('../faults/faults-document.ts')
      answer({ faults: list }, faultsDocument(list))
    } else if (name !== undefined) answer(list[0], faultText(list[0]!))
    else answer({ faults: list }, faultTable(list))
    return 0
  },
})
