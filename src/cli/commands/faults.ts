/** `remedium faults`: the faults there are, and what one of them is. */
import { type Fault, RemediumError, type SystemView } from '../../spec/index.ts'
import { defineCommand } from '../define-command.ts'

const viewsOf = async (names: readonly string[]): Promise<SystemView[]> => {
  const { loadNamedSystem } = await import('../systems/load-named-system.ts')
  const { createSystemView } = await import('../../system-view/index.ts')
  return Promise.all(names.map(async (name) => createSystemView(await loadNamedSystem(name))))
}

const everySystem = async (): Promise<string[]> => {
  const { listSystemNames } = await import('../../systems/index.ts')
  return listSystemNames()
}

const loadChosen = async (name: string | undefined): Promise<Fault[]> => {
  const { loadNamedFault } = await import('../faults/load-named-fault.ts')
  if (name !== undefined) return [await loadNamedFault(name)]
  const { loadFaults } = await import('../../faults/index.ts')
  return [...(await loadFaults()).values()]
}

export const faults = defineCommand({
  summary: 'List the faults that a system can be broken with, or show what one of them is',
  positionals: '[NAME]',
  examples: [
    'remedium faults                            those there are',
    'remedium faults --system train-ticket      the same, with the services that each can hit',
    'remedium faults cpu-stress                 its parameters, symptoms, hacks, and targets on every system',
    'remedium faults --markdown                 the page docs/faults.md',
  ],
  options: {
    system: { type: 'string', value: 'SYSTEM', about: 'show what can be hit on this system', multiple: true },
    markdown: { type: 'boolean', about: 'print the page docs/faults.md' },
  },
  async run({ positionals: [name, ...more], options, answer }) {
    if (more.length > 0) throw new RemediumError('bad-argument', 'Name one fault.')
    const { describeFault, faultTable, faultText } = await import('../faults/describe-fault.ts')
    const wide = options.system.length === 0 && name !== undefined
    const systems = await viewsOf(wide ? await everySystem() : options.system)
    const list = (await loadChosen(name)).map((fault) => describeFault(fault, systems))
    if (options.markdown) {
      const { faultsDocument } = await import('../faults/faults-document.ts')
      answer({ faults: list }, faultsDocument(list))
    } else if (name !== undefined) answer(list[0], faultText(list[0]!))
    else answer({ faults: list }, faultTable(list))
    return 0
  },
})
