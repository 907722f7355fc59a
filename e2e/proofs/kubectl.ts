/** Proves that everyday commands work with every kubectl on this machine. */
import { readArguments } from '../../bench/index.ts'
import { runTestFile } from './vitest/run-test-file.ts'

const { isQuick } = readArguments({
  command: 'npm run proof kubectl',
  about:
    'Runs the everyday commands of kubectl with every version on this machine.\n' +
    'The tests run three of the versions; --quick runs a few commands with the newest.',
  options: {},
})

process.exitCode = runTestFile({
  file: 'e2e/kubectl/every-version.test.ts',
  args: isQuick ? ['--testNamePattern', 'discovers the API|creates objects without files'] : [],
  env: { REMEDIUM_KUBECTLS: isQuick ? 'newest' : 'all' },
})
