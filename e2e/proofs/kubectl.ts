/** Proves that everyday commands work with every kubectl on this machine, and all commands with the oldest. */
import { readArguments } from '#bench'
import { runTestFile } from './vitest/run-test-file.ts'

const { isQuick } = readArguments({
  command: 'npm run proof kubectl',
  about:
    'Runs the everyday commands of kubectl with every version on this machine, and all tests of kubectl with the oldest, too.\n' +
    'The tests run three of the versions; --quick runs a few commands with the newest.',
  options: {},
})

process.exitCode = runTestFile({
  file: isQuick ? 'e2e/kubectl/every-version.test.ts' : 'e2e/kubectl/',
  args: isQuick ? ['--testNamePattern', 'discovers the API|creates objects without files'] : [],
  env: { REMEDIUM_KUBECTLS: isQuick ? 'newest' : 'all' },
})
