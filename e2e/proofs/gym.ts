/** Proves that the client of openenv-core and the GRPO trainer of TRL drive the server of the gym. */
import { readArguments } from '#bench'
import { runTestFile } from './vitest/run-test-file.ts'

const { values, isQuick } = readArguments({
  command: 'npm run proof gym',
  about:
    'Serves a gym on simple-micro, plays an episode in each session with the client of openenv-core, and trains a tiny random\n' +
    'model with GRPO of TRL on the CPU. Installs openenv-core, TRL and torch (several gigabytes) from PyPI into .remedium. --quick\n' +
    'does not train, and plays nothing without PyPI.',
  options: {
    sessions: {
      about: 'how many sessions, each with a cluster; also the attempts at one incident',
      count: 2,
      quick: 1,
    },
    steps: { about: 'how many steps of training', count: 2, quick: 1 },
  },
})

process.exitCode = runTestFile({
  file: 'e2e/gym.test.ts',
  args: ['--reporter', 'verbose'],
  env: {
    GYM_SESSIONS: String(values.sessions),
    GYM_STEPS: String(values.steps),
    GYM_IS_QUICK: isQuick ? 'yes' : 'no',
  },
})
