/** The PodTemplate kind. */
import type { PodTemplate } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from '../define-kind.ts'
import { defaultTemplate } from '../pods/pod-spec-defaults.ts'
import { validateTemplate } from '../pods/pod-template-validation.ts'
import { labelsText, nameColumn, textColumn } from '../standard-columns.ts'
import { containerCells } from './workload-columns.ts'

export const podTemplates = defineKind<PodTemplate>({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  singular: 'podtemplate',
  namespaced: true,
  hasStatus: false,
  returnsDeleted: true,
  defaults(object) {
    object.template = defaultTemplate(object.template)
  },
  validate: ({ template }) => validateTemplate(template ?? {}, 'template'),
  columns: [
    nameColumn,
    textColumn('Containers', 'Names of each container in the template.'),
    textColumn('Images', 'Images referenced by each container in the template.'),
    textColumn('Pod Labels', 'The labels for the pod template.'),
  ],
  row: ({ metadata, template }) => [
    metadata.name,
    ...containerCells(template?.spec),
    labelsText(template?.metadata?.labels),
  ],
})
