/** Proves that the journeys which services affect on simulated clusters are those measured live. */
import { readArguments } from '#bench'
import { runTestFile } from './vitest/run-test-file.ts'

const SYSTEMS = ['simple-micro', 'hotel-reservation', 'online-boutique', 'social-network', 'train-ticket']

const { values } = readArguments({
  command: 'npm run proof impact',
  about:
    'Surveys all services of the systems on simulated clusters, smaller systems first, and compares the affected journeys with\n' +
    'impact.yaml, per service and kind of trouble. The tests do this for a sample of services.',
  options: {
    systems: { about: 'how many systems', count: SYSTEMS.length, quick: 1 },
  },
})

process.exitCode = runTestFile({
  file: 'scripts/survey/simulated-impact.test.ts',
  project: 'unit',
  args: ['--reporter', 'verbose'],
  env: { IMPACT_SYSTEMS: SYSTEMS.slice(0, values.systems).join(' ') },
})
