/** `remedium gym stdio`: a gym over JSON lines, for a trainer that starts the process. */
import { defineCommand } from '../../define-command.ts'
import { GYM_OPTIONS, openGym } from '../../gym/open-gym.ts'

export const stdio = defineCommand({
  summary: 'Serve a gym over JSON lines on standard input and output, for a trainer that starts this process',
  examples: [
    'remedium gym stdio --suite easy                  one session on a cluster of this machine',
    'remedium gym stdio --suite hard --workers 2      two sessions',
  ],
  options: GYM_OPTIONS,
  async run({ options, root, progress }) {
    const { createInterruptSignal } = await import('../../create-interrupt-signal.ts')
    const { serveStdio } = await import('#lab/gym')
    const signal = createInterruptSignal('Start the process again to continue.')
    const gym = await openGym(options, { root, progress })
    try {
      await serveStdio({ gym, input: process.stdin, output: process.stdout, signal })
    } finally {
      await gym.close()
      process.stdin.destroy()
    }
    return 0
  },
})
