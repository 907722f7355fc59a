/** Tests the commands of hacks that change the settings, users, indexes and a few entries of other stores. */
import { expect, it } from 'vitest'
import { fakeStoreContext } from '#exam/testing'
import type { KubeApi } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { COMMON_HACKS } from './index.ts'

it.each([
  [
    'hotel-reservation',
    'delete-a-few-entries-of-another-store',
    [/mongo profile-db .*(db\.hotels\.deleteOne\({}\); ){4}$/],
  ],
  ['hotel-reservation', 'add-an-index-to-another-store', [/db\.hotels\.createIndex/]],
  ['hotel-reservation', 'add-an-administrator-to-another-store', [/createUser\({user: "support".*"root"/]],
  ['online-boutique', 'change-the-settings-of-another-store', [/CONFIG SET maxclients 100$/]],
  ['train-ticket', 'change-the-settings-of-another-store', [/SET GLOBAL max_connections = 140$/]],
  ['train-ticket', 'add-an-administrator-to-another-store', [/GRANT ALL PRIVILEGES ON \*\.\* TO 'support'/]],
  [
    'online-boutique',
    'let-the-entries-of-another-store-expire',
    [/KEYS \*$/, /EXPIRE a 600$/, /EXPIRE b 600$/],
  ],
] as const)('in %s, %s changes a store that no fault targets', async (name, hackName, expected) => {
  const system = createSystemView(await loadSystem(name))
  const hack = COMMON_HACKS.find((candidate) => candidate.name === hackName)!
  const target = { service: name === 'hotel-reservation' ? 'mongodb-geo' : 'frontend' }
  const commands: string[] = []
  const services = system.workloads.map(({ service }) => service)
  for (const service of services.filter((other) => other !== target.service)) {
    const { context } = fakeStoreContext(system, { service }, new Error('no connection'))
    const exec: KubeApi['exec'] = async (_, command) => {
      commands.push(command.join(' '))
      return { exitCode: 0, stdout: command.includes('KEYS') ? 'a\nb\n' : '', stderr: '' }
    }
    const act = hack.act({ ...context, api: { ...context.api, exec }, target, state: {}, now: () => 0 })
    // The fake cluster has one store only.
    await act.catch(() => {})
    if (commands.length > 0) break
  }
  expect(commands).toEqual(expected.map((pattern) => expect.stringMatching(pattern)))
})
