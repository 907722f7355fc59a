/** Derives the options of an agent from the settings of a run. */
import type { RunSettings } from '#spec'

/** The agent `external` runs its command line in a shell. */
export const agentOptionsOf = (
  agent: string,
  { agentOptions = {}, external, externalFolder }: RunSettings,
): Record<string, unknown> => ({
  ...agentOptions[agent],
  ...(agent === 'external' && external !== undefined ? { program: '/bin/sh', args: ['-c', external] } : {}),
  ...(agent === 'external' && externalFolder !== undefined ? { folder: externalFolder } : {}),
})
