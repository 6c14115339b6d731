;;; session.el --- a session of dap-mode's with ompdd-dap  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

;;; Commentary:
;; In batch: a program with a breakpoint at OpenMP's event and one at a line; what is asked is printed, a JSON object a line.
;; The environment has ADAPTER, PROGRAM, SOURCE and MARK, the text that stands in the line.

;;; Code:
(require 'package)
(package-initialize)
(defvar dap-exception-breakpoints '(("openmp" . (("omp_parallel_begin" . t)))))
(require 'dap-mode)

(dap-register-debug-provider
 "openmp" (lambda (conf) (plist-put conf :dap-server-path (list (getenv "ADAPTER") "--patience" "300"))))

(defun session-wait (what condition)
  "Wait until CONDITION gives something, and return that; WHAT is for the message when it never does."
  (let ((end (+ (float-time) 300)) result)
    (while (not (setq result (funcall condition)))
      (when (> (float-time) end)
        (error "%s: did not come" what))
      (accept-process-output nil 0.05))
    result))

(defun session-tell (session command arguments)
  "Ask COMMAND with ARGUMENTS in SESSION, print and return the answer's body."
  (let (answer)
    (dap--send-message (dap--make-request command arguments) (lambda (it) (setq answer it)) session)
    (session-wait command (lambda () answer))
    (princ (concat (json-encode (list :command command :body (gethash "body" answer))) "\n"))
    (gethash "body" answer)))

(with-current-buffer (find-file-noselect (getenv "SOURCE"))
  (goto-char (point-min))
  (search-forward (getenv "MARK"))
  (dap-breakpoint-add))
(dap-debug (list :type "openmp" :request "launch" :name "OpenMP" :program (getenv "PROGRAM") :args ["3" "2"]))

(let* ((session (session-wait "a session" #'dap--cur-session))
       (stopped (lambda () (session-wait "a stop" (lambda () (dap--debug-session-thread-id session))))))
  (session-tell session "stackTrace" (list :threadId (funcall stopped) :startFrame 0 :levels 20))
  (dap-continue session (funcall stopped))
  (funcall stopped)
  (session-tell session "threads" nil)
  (let* ((stack (session-tell session "stackTrace" (list :threadId (funcall stopped) :startFrame 0 :levels 20)))
         (frame (gethash "id" (car (gethash "stackFrames" stack)))))
    (dolist (scope (gethash "scopes" (session-tell session "scopes" (list :frameId frame))))
      (when (equal (gethash "name" scope) "Region")
        (session-tell session "variables" (list :variablesReference (gethash "variablesReference" scope))))))
  (dap-disconnect session)
  (session-wait "the end" (lambda () (not (dap--session-running session)))))
;;; session.el ends here
