/**
 * Names that a class of a generated client cannot have without harm: reserved words, and types that a program of the language sees
 * without naming where they come from (java.lang, Kotlin, System of C#, Python's and PHP's own, the preludes of Rust and Swift, Go's
 * predeclared, JavaScript's globals). In lower case, since some generators and file systems know no other.
 */
const WORDS = `
abstract alias and any as assert async await base begin bool boolean break byte case catch chan char checked class const continue
debugger decimal declare def default defer del delete deinit do double dyn echo elif else elseif end ensure enum except explicit export
extends extern extension fallthrough false final finally fixed float fn for foreach from func function global go goto guard if impl
implements implicit import in include infix init inline inout instanceof int interface internal is lambda let lock long loop match mod
module mut namespace native new nil none nonlocal not null object op operator optional or out override package params part pass print
private protected protocol pub public raise range readonly redo ref register repeat require rescue rethrow retry return sbyte sealed
select self set short sizeof some stackalloc static strictfp string struct subscript super switch synchronized template then this throw
throws trait transient true try tuple type typealias typedef typeof uint ulong unchecked undefined undef union unless unsafe unset until
use ushort using val value var virtual void volatile when where while with xor yield
appendable autocloseable character charsequence classloader cloneable comparable compiler deprecated error exception float
functionalinterface integer iterable math number objects package process record reference runnable runtime runtimeexception safevarargs
securitymanager stringbuffer stringbuilder suppresswarnings system thread threadgroup threadlocal throwable version
array collection collections hash kernel list map method nothing pair proc regexp result sequence symbol unit
action activator attribute buffer console convert datetime delegate dictionary environment eventargs file func guid io lazy path
progress random stream task tasks timespan timer timezone tuple uri
arithmeticerror assertionerror attributeerror bytes complex connectionerror date dict frozenset generator importerror indexerror keyerror
lookuperror memoryerror oserror permissionerror property runtimeerror timeouterror typeerror valueerror warning
box clone copy debug drop eq from hash into option ord send sized str sync usize vec
blob bigint document element formdata headers iterator json location node promise proxy regexp request response storage url weakmap
closure countable directory stdclass traversable
codable decodable encodable equatable hashable identifiable never optional sendable
api apiclient apierror apiexception apiresponse client configuration model models schema schemas
`;

export const WORDS_OF_LANGUAGES: ReadonlySet<string> = new Set(WORDS.split(/\s+/).filter(Boolean));
