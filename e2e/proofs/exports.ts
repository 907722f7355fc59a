/** Proves that all episodes are exported, and that the loaders of real trainers accept the exports. */
import { readArguments } from '#bench'
import { runTestFile } from './vitest/run-test-file.ts'

const { values, isQuick } = readArguments({
  command: 'npm run proof exports',
  about:
    'Plays live episodes on simple-micro with scripted models: solo-gen, think-remed and react, each with native tools and\n' +
    'with tools in text, and expert without a model. Exports them in all formats, and loads them with datasets, TRL,\n' +
    'LLaMA-Factory and atif, which it installs from PyPI into .remedium. Without PyPI, --quick does not load them.',
  options: {
    problems: {
      about: 'how many problems; each has 7 episodes, or 2 with --quick',
      count: 23,
      quick: 1,
    },
    workers: { about: 'how many clusters run at the same time', count: 2, quick: 1 },
  },
})

process.exitCode = runTestFile({
  file: 'e2e/exports.test.ts',
  args: ['--reporter', 'verbose'],
  env: {
    EXPORT_PROBLEMS: String(values.problems),
    EXPORT_WORKERS: String(values.workers),
    EXPORT_IS_QUICK: isQuick ? 'yes' : 'no',
  },
})
