/** What a run says of how one of its agents is to be. */
import type { RunSettings } from '../../spec/index.ts'

/** The program of the agent `external` is whatever a shell makes of its command line. */
export const agentOptionsOf = (
  agent: string,
  { agentOptions = {}, external, externalFolder }: RunSettings,
): Record<string, unknown> => ({
  ...agentOptions[agent],
  ...(agent === 'external' && external !== undefined ? { program: '/bin/sh', args: ['-c', external] } : {}),
  ...(agent === 'external' && externalFolder !== undefined ? { folder: externalFolder } : {}),
})
