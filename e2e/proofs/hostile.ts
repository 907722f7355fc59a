/** Proves that no hostile command or playbook of the corpus escapes. Each runs in a separate process on a live system. */
import { readArguments } from '#bench'
import { runTestFile } from './vitest/run-test-file.ts'

const TIMEOUT_MS = 3_600_000

const { isQuick } = readArguments({
  command: 'npm run proof hostile',
  about:
    'Runs every hostile and broken command and playbook of e2e/hostile on a live system, each in a separate process.\n' +
    'The tests run a sample, several entries in one process; --quick runs a few shell commands.',
  options: {},
})

process.exitCode = runTestFile({
  file: 'e2e/hostile.test.ts',
  args: [
    ...['--reporter', 'verbose', '--testTimeout', String(TIMEOUT_MS)],
    ...(isQuick ? ['--testNamePattern', 'a hostile shell cannot'] : []),
  ],
  env: { HOSTILE_CORPUS: isQuick ? 'few' : 'whole' },
})
