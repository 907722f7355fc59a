/** Upgrades manifests of older versions, which had other names for a setting and for options of agents. */
import { isPlainObject } from '#kit'
import { renameFields } from './rename-fields.ts'

const SETTING_NAMES: Readonly<Record<string, string>> = { tellsVerdict: 'reportsVerdict' }
/** By the name of the agent. */
const OPTION_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'think-remed': { looks: 'observationRounds' },
  external: { reach: 'connect' },
}

const upgradeOptions = (agentOptions: unknown): unknown =>
  isPlainObject(agentOptions)
    ? Object.fromEntries(
        Object.entries(agentOptions).map(([agent, options]) => [
          agent,
          renameFields(options, Object.hasOwn(OPTION_NAMES, agent) ? OPTION_NAMES[agent]! : {}),
        ]),
      )
    : agentOptions

const upgradeSettings = (settings: unknown): unknown => {
  const renamed = renameFields(settings, SETTING_NAMES)
  return isPlainObject(renamed) && renamed.agentOptions !== undefined
    ? { ...renamed, agentOptions: upgradeOptions(renamed.agentOptions) }
    : renamed
}

/** Changes only fields of older versions. Returns invalid values unchanged. */
export const upgradeManifest = (value: unknown): unknown =>
  isPlainObject(value) ? { ...value, settings: upgradeSettings(value.settings) } : value
