/** The ID of a record: `namespace/pod`, or `namespace/pod/container`. */

export interface RecordParts {
  namespace: string
  pod: string
  /** Empty if the record is a pod. */
  container: string
}

export const splitRecordId = (id: string): RecordParts => {
  const [namespace = '', pod = '', container = ''] = id.split('/')
  return { namespace, pod, container }
}

export const toRecordId = ({ namespace, pod, container }: RecordParts): string =>
  container === '' ? `${namespace}/${pod}` : `${namespace}/${pod}/${container}`
