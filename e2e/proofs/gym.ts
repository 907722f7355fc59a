/** Proves that the client of openenv-core and the GRPO trainer of TRL drive the server of the gym. */
import { readArguments } from '#bench'
import { runTestFile } from './vitest/run-test-file.ts'

const { values, isQuick } = readArguments({
  command: 'npm run proof gym',
  about:
    'Serves a gym with simulated clusters, and plays an episode in each session with the client of openenv-core, all at the same time. Other\n' +
    'clients vanish, send garbage or flood the server meanwhile. Then trains a tiny random model with GRPO of TRL on the CPU. Installs\n' +
    'openenv-core, TRL and torch (several gigabytes) from PyPI into .remedium. --quick does not train, and plays nothing without PyPI.',
  options: {
    sessions: { about: 'how many sessions play at the same time', count: 64, quick: 3 },
    steps: { about: 'how many steps of training', count: 3, quick: 1 },
    group: { about: 'how many attempts at one incident are compared', count: 4, quick: 2 },
  },
})

process.exitCode = runTestFile({
  file: 'e2e/gym.test.ts',
  args: ['--reporter', 'verbose'],
  env: {
    GYM_SESSIONS: String(values.sessions),
    GYM_STEPS: String(values.steps),
    GYM_GROUP: String(values.group),
    GYM_IS_QUICK: isQuick ? 'yes' : 'no',
  },
})
