/** Writes YAML as `yaml.dump` does with libyaml's emitter. */
import { emitYaml } from './emit-yaml.ts'
import { representYaml } from './represent-yaml.ts'
import type { YamlLayout } from './yaml-layout.ts'

export const dumpYaml = (value: unknown, layout: YamlLayout): string =>
  emitYaml(representYaml(value, layout), layout)
