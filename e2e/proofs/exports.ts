/** Proves that exported trajectories load in the loaders of real trainers, and that all of them are there. */
import { readArguments } from '../../bench/index.ts'
import { runTestFile } from './vitest/run-test-file.ts'

const { values, isQuick } = readArguments({
  command: 'npm run proof exports',
  about:
    'Plays live episodes on simple-micro with scripted models: solo-gen, think-remed and react, each with tools and with tools in\n' +
    'text, and expert without a model. Exports them in all formats, and loads them with datasets, TRL, LLaMA-Factory and\n' +
    'atif, which it installs from PyPI below .remedium. Without PyPI, --quick skips the loading and says so.',
  options: {
    problems: {
      about: 'how many problems, with 7 episodes each (with --quick 4)',
      count: 23,
      quick: 1,
    },
    workers: { about: 'clusters at the same time', count: 2, quick: 1 },
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
