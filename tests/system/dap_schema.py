# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON Schemas of the messages that the Debug Adapter Protocol allows an adapter to send, written from its
specification. They cover the requests of our adapter and of native ones. Objects are open, as in the protocol.
"""
import jsonschema

STRING, INTEGER, NUMBER, BOOLEAN = ({"type": name} for name in ("string", "integer", "number", "boolean"))
ANY = {}


def obj(required="", **properties):
    return {"type": "object", "required": required.split(), "properties": properties}


def array(items):
    return {"type": "array", "items": items}


def words(*values):
    return {"type": "string", "enum": list(values)}


SOURCE = obj(name=STRING, path=STRING, sourceReference=INTEGER, origin=STRING,
             presentationHint=words("normal", "emphasize", "deemphasize"))
# Object references are below 2^31.
REFERENCE = {"type": "integer", "minimum": 0, "maximum": 2147483647}
BREAKPOINT = obj("verified", id=INTEGER, verified=BOOLEAN, message=STRING, source=SOURCE, line=INTEGER, column=INTEGER,
                 instructionReference=STRING, offset=INTEGER, reason=words("pending", "failed"))
FILTER = obj("filter label", filter=STRING, label=STRING, description=STRING, default=BOOLEAN, supportsCondition=BOOLEAN)
FLAGS = """supportsConfigurationDoneRequest supportsFunctionBreakpoints supportsConditionalBreakpoints
    supportsHitConditionalBreakpoints supportsEvaluateForHovers supportsStepBack supportsSetVariable supportsRestartFrame
    supportsGotoTargetsRequest supportsStepInTargetsRequest supportsCompletionsRequest supportsModulesRequest
    supportsRestartRequest supportsExceptionOptions supportsValueFormattingOptions supportsExceptionInfoRequest
    supportTerminateDebuggee supportSuspendDebuggee supportsDelayedStackTraceLoading supportsLoadedSourcesRequest
    supportsLogPoints supportsTerminateThreadsRequest supportsSetExpression supportsTerminateRequest supportsDataBreakpoints
    supportsReadMemoryRequest supportsWriteMemoryRequest supportsDisassembleRequest supportsCancelRequest
    supportsBreakpointLocationsRequest supportsClipboardContext supportsSteppingGranularity supportsInstructionBreakpoints
    supportsExceptionFilterOptions supportsSingleThreadExecutionRequests""".split()
CAPABILITIES = obj(exceptionBreakpointFilters=array(FILTER), completionTriggerCharacters=array(STRING),
                   **{flag: BOOLEAN for flag in FLAGS})
FRAME = obj("id name line column", id=REFERENCE, name=STRING, source=SOURCE, line=INTEGER, column=INTEGER, endLine=INTEGER,
            endColumn=INTEGER, canRestart=BOOLEAN, instructionPointerReference=STRING, moduleId={"type": ["integer", "string"]},
            presentationHint=words("normal", "label", "subtle"))
SCOPE = obj("name variablesReference expensive", name=STRING, presentationHint=STRING, variablesReference=REFERENCE,
            namedVariables=INTEGER, indexedVariables=INTEGER, expensive=BOOLEAN, source=SOURCE, line=INTEGER)
VARIABLE = obj("name value variablesReference", name=STRING, value=STRING, type=STRING, evaluateName=STRING,
               variablesReference=REFERENCE, namedVariables=INTEGER, indexedVariables=INTEGER, memoryReference=STRING)
BREAKPOINTS = obj("breakpoints", breakpoints=array(BREAKPOINT))
TARGET = obj("id label", id=INTEGER, label=STRING, line=INTEGER, column=INTEGER)

# Bodies of successful responses. A command that is not listed has no required body.
RESPONSES = {
    "initialize": CAPABILITIES,
    "setBreakpoints": BREAKPOINTS,
    "setFunctionBreakpoints": BREAKPOINTS,
    "setInstructionBreakpoints": BREAKPOINTS,
    "threads": obj("threads", threads=array(obj("id name", id=INTEGER, name=STRING))),
    "stackTrace": obj("stackFrames", stackFrames=array(FRAME), totalFrames=INTEGER),
    "scopes": obj("scopes", scopes=array(SCOPE)),
    "variables": obj("variables", variables=array(VARIABLE)),
    "evaluate": obj("result variablesReference", result=STRING, variablesReference=REFERENCE, type=STRING),
    "continue": obj(allThreadsContinued=BOOLEAN),
    "stepInTargets": obj("targets", targets=array(TARGET)),
    "exceptionInfo": obj("exceptionId breakMode", exceptionId=STRING,
                         breakMode=words("never", "always", "unhandled", "userUnhandled")),
    "ompdd/tree": obj("regions threads tasks text consistency", text=STRING,
                      threads=array(obj("id name", id=INTEGER, name=STRING)),
                      regions=array(obj("number name level teamSize threads", number=INTEGER, name=STRING, level=INTEGER,
                                        teamSize=INTEGER, threads=array(INTEGER))),
                      tasks=array(obj("name", name=STRING)), consistency=STRING),
    "ompdd/why": obj("verdict title findings text", verdict=STRING, title=STRING, text=STRING),
    "ompdd/profile": obj("profile", profile=obj("recording", recording=BOOLEAN)),
}

EVENTS = {
    "initialized": ANY,
    "stopped": obj("reason", reason=STRING, description=STRING, threadId=INTEGER, preserveFocusHint=BOOLEAN, text=STRING,
                   allThreadsStopped=BOOLEAN, hitBreakpointIds=array(INTEGER)),
    "continued": obj("threadId", threadId=INTEGER, allThreadsContinued=BOOLEAN),
    "exited": obj("exitCode", exitCode=INTEGER),
    "terminated": ANY,
    "thread": obj("reason threadId", reason=STRING, threadId=INTEGER),
    "output": obj("output", category=STRING, output=STRING),
    "breakpoint": obj("reason breakpoint", reason=STRING, breakpoint=BREAKPOINT),
    "module": obj("reason module", reason=words("new", "changed", "removed"), module=obj("id name", name=STRING)),
    "process": obj("name", name=STRING, systemProcessId=INTEGER, isLocalProcess=BOOLEAN,
                   startMethod=words("launch", "attach", "attachForSuspendedLaunch")),
    "capabilities": obj("capabilities", capabilities=CAPABILITIES),
    "invalidated": obj(areas=array(STRING), threadId=INTEGER, stackFrameId=INTEGER),
    "ompdd/tree": obj("regions named threads tasks consistency", regions=INTEGER, named=INTEGER, threads=INTEGER, tasks=INTEGER, consistency=STRING),
    "ompdd/why": obj("isCurrent", isCurrent=BOOLEAN),
    "ompdd/profile": obj("profile", profile=obj("recording samples", recording=BOOLEAN, samples=INTEGER)),
    "progressStart": obj("progressId title", progressId=STRING, title=STRING),
    "progressUpdate": obj("progressId", progressId=STRING),
    "progressEnd": obj("progressId", progressId=STRING),
}

BASE = obj("seq type", seq={"type": "integer", "minimum": 1}, type=words("request", "response", "event"))
RESPONSE = obj("request_seq success command", request_seq={"type": "integer", "minimum": 1}, success=BOOLEAN, command=STRING,
               message=STRING)
FAILURE = obj("message", message=STRING, body=obj(error=obj("id format", id=INTEGER, format=STRING, showUser=BOOLEAN)))
REQUEST = obj("command", command=words("runInTerminal", "startDebugging"), arguments={"type": "object"})


def check(message):
    """Fail unless an adapter may send @message."""
    jsonschema.validate(message, BASE)
    if message["type"] == "request":
        jsonschema.validate(message, REQUEST)
    elif message["type"] == "event":
        assert message["event"] in EVENTS, f"no event of the protocol: {message}"
        jsonschema.validate(message.get("body", {}), EVENTS[message["event"]])
    else:
        jsonschema.validate(message, RESPONSE)
        jsonschema.validate(message if not message["success"] else message.get("body", {}),
                            FAILURE if not message["success"] else RESPONSES.get(message["command"], ANY))
