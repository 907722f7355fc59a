/** All filters and tests of Jinja and Ansible, including those that are not supported. */
import { unsupportedPlugin } from '../filters/define-filter.ts'
import { ENCODING_FILTERS } from '../filters/encoding-filters.ts'
import { JINJA_JSON_FILTERS, JSON_FILTERS } from '../filters/json-filters.ts'
import { LIST_FILTERS } from '../filters/list-filters.ts'
import { ANSIBLE_NUMBER_FILTERS, NUMBER_FILTERS } from '../filters/number-filters.ts'
import { REGEX_FILTERS } from '../filters/regex-filters.ts'
import { SET_FILTERS } from '../filters/set-filters.ts'
import { STRUCTURE_FILTERS } from '../filters/structure-filters.ts'
import { TEXT_FILTERS } from '../filters/text-filters.ts'
import { TIME_FILTERS } from '../filters/time-filters.ts'
import { VALUE_FILTERS } from '../filters/value-filters.ts'
import { ANSIBLE_TESTS } from '../is-tests/ansible-tests.ts'
import { VALUE_TESTS } from '../is-tests/value-tests.ts'
import { toText } from '../python/repr.ts'
import { Text } from '../python/value.ts'
import { unroll } from './finalise.ts'
import { type Plugin, type Plugins, unknownPlugin } from './plugins.ts'

type Table = ReadonlyMap<string, Plugin>

/** Filters of other collections that Ansible finds by their short names. */
const MOVED_FILTERS =
  'cidr_merge comp_type5 formerly_core_filter formerly_core_masked_filter gcp_kms_decrypt gcp_kms_encrypt hash_salt hwaddr ip4_hex ' +
  'ipaddr ipmath ipsubnet ipv4 ipv6 ipwrap json_query k8s_config_resource_name network_in_network network_in_usable next_nth_usable ' +
  'nthhost parse_cli parse_cli_textfsm parse_xml previous_nth_usable random_mac reduce_on_network slaac type5_pw vlan_parser'

const UNSUPPORTED_FILTERS = {
  jinja: 'e escape forceescape pprint safe striptags urlize wordwrap xmlattr',
  ansible:
    'comment expanduser expandvars fileglob log password_hash realpath relpath unvault vault win_basename win_dirname win_splitdrive',
}

const UNSUPPORTED_TESTS = {
  jinja: 'filter test',
  ansible:
    'directory exists file is_abs is_dir is_file is_link is_mount is_same_file isnan link link_exists mount nan same_file uri urn ' +
    'vault_encrypted',
}

const tableOf = (
  type: string,
  unsupported: string,
  ...groups: readonly Readonly<Record<string, Plugin>>[]
): Table =>
  new Map([
    ...unsupported
      .split(' ')
      .map((name): [string, Plugin] => [name, unsupportedPlugin(`the ${type} ${name}`)]),
    ...groups.flatMap((group) => Object.entries(group)),
  ])

const JINJA_FILTERS = tableOf(
  'filter',
  UNSUPPORTED_FILTERS.jinja,
  TEXT_FILTERS,
  NUMBER_FILTERS,
  LIST_FILTERS,
  JINJA_JSON_FILTERS,
)
const ANSIBLE_FILTERS = tableOf(
  'filter',
  `${UNSUPPORTED_FILTERS.ansible} ${MOVED_FILTERS}`,
  VALUE_FILTERS,
  ENCODING_FILTERS,
  JSON_FILTERS,
  REGEX_FILTERS,
  SET_FILTERS,
  STRUCTURE_FILTERS,
  ANSIBLE_NUMBER_FILTERS,
  TIME_FILTERS,
)
const JINJA_TESTS = tableOf('test', UNSUPPORTED_TESTS.jinja, VALUE_TESTS)
const ALL_ANSIBLE_TESTS = tableOf(
  'test',
  `${UNSUPPORTED_TESTS.ansible} formerly_core_test formerly_core_masked_test`,
  ANSIBLE_TESTS,
)

/** Ansible never converts the results of these filters to other types. */
const STRING_FILTERS = new Set(['string', 'to_json', 'to_nice_json', 'to_yaml', 'to_nice_yaml'])

const BUILTIN = /^ansible\.(?:builtin|legacy)\./

/** Ansible's own plugins take precedence. Names of its collection do not reach Jinja's plugins. */
const find = (type: string, name: string, ansible: Table, jinja: Table): Plugin => {
  const plugin = BUILTIN.test(name)
    ? ansible.get(name.replace(BUILTIN, ''))
    : (ansible.get(name) ?? jinja.get(name))
  if (plugin !== undefined) return plugin
  if (name.includes('.') && !BUILTIN.test(name)) return unsupportedPlugin(`the ${type} ${name}`)
  throw unknownPlugin(name)
}

const wrapFilter = (name: string, plugin: Plugin): Plugin =>
  STRING_FILTERS.has(name)
    ? (context, value, args, keywords) =>
        new Text(toText(plugin(context, value, args, keywords)), 'NativeJinjaText')
    : (context, value, args, keywords) => unroll(plugin(context, value, args, keywords))

export const PLUGINS: Plugins = {
  filter: (name) => wrapFilter(name, find('filter', name, ANSIBLE_FILTERS, JINJA_FILTERS)),
  test: (name) => find('test', name, ALL_ANSIBLE_TESTS, JINJA_TESTS),
}
